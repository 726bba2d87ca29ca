import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keyFor } from '../support/context.ts';
import { NO_LIMITS } from '../support/http/test-app.ts';
import { setUpEngines } from '../support/http/test-app-engines.ts';
import { hide } from '../support/store/writes.ts';

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request, store } = setting;
  const post = async (key: string | undefined, message: string, given: object = {}) => {
    const body = { message, ...(key !== undefined && { authorKey: keyFor(key) }), ...given };
    return (await request('POST /api/feed', { body })).json;
  };
  const storedFor = async (id: string) => (await store.read.find('post', id))?.record.sameKeyAs;

  describe(`one key in two threads on ${engine}`, () => {
    it('is proven by the key of both messages, and by nothing else', async () => {
      const first = await post('Ann', 'IDEA: wells', { name: 'Ann' });
      const reply = await post('Ann', 'more', { replyTo: first.id });
      const ofBob = await post('Bob', 'hello');
      const unsigned = await post(undefined, 'hello');
      const own = await post('Ann', 'hello');
      const line = `Same key as: ${first.id}`;
      for (const [key, message, given, proven] of [
        ['Ann', line, {}, [first.id]],
        ['Ann', line, { replyTo: ofBob.id, name: 'Bob' }, [first.id]],
        ['Ann', `RESULT: x\n${line}\nSame key as: ${reply.id}`, {}, [first.id, reply.id]],
        ['Bob', line, { name: 'Ann' }, undefined],
        [undefined, line, { name: 'Ann' }, undefined],
        ['Ann', `Same key as: ${ofBob.id}`, {}, undefined],
        ['Ann', `Same key as: ${unsigned.id}`, {}, undefined],
        ['Ann', `Same key as: ${first.id.slice(0, -4)}0000`, {}, undefined],
        ['Ann', `Same key as: ${own.id}`, { replyTo: own.id }, undefined],
        ['Ann', `Same key as: ${first.id} ${reply.id}`, {}, undefined],
      ] as const) {
        const { id } = await post(key, message, given);
        assert.deepEqual(await storedFor(id), proven, message);
      }
      await hide(store, first.id);
      assert.deepEqual(await storedFor((await post('Ann', `${line}\nwhile hidden`)).id), [first.id]);
    });

    it('counts in the first three lines, and a repeated call proves nothing more', async () => {
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4]) ids.push((await post('Cid', `IDEA: ${n}`)).id);
      const message = ids.map((id) => `Same key as: ${id}`).join('\n');
      const call = { idempotencyKey: 'same-key-of-cid' };
      const { id } = await post('Cid', message, call);
      assert.deepEqual(await storedFor(id), ids.slice(0, 3));
      const again = await post('Bob', message, call);
      assert.deepEqual([again.id, again.duplicate, await storedFor(id)], [id, true, ids.slice(0, 3)]);
      const steps = await store.read.steps();
      assert.deepEqual(steps.find((step) => step.id === id)?.sameKeyAs, ids.slice(0, 3));
    });
  });
}
