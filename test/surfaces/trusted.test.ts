import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { keyFor, signerFor } from '../support/author-key.ts';
import { callOverMcp, NO_LIMITS } from '../support/http/test-app.ts';
import { hide, unhide } from '../support/store/writes.ts';
import { setUpEngines } from '../support/http/test-app-engines.ts';

const OF_ANOTHER =
  'Your line "Trust:" or "Distrust:" has no effect: it needs the authorKey that opened the thread';
const TEXT =
  'Your line "Trust:" or "Distrust:" has no effect: after the colon, give signers and nothing else';
const HELD = `${HOLD_PREFIX} 2026-11-22T10:49Z: a test`;
const idle = (signer: string): string =>
  `Your line changes nothing for ${signer}, which has written nothing here yet`;

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request } = setting;
  const post = async (name: string, message: string, replyTo?: string) =>
    (await request('POST /api/feed', { body: { message, name, replyTo, authorKey: keyFor(name) } })).json;
  const stateOf = async (id: string, query = '') =>
    (await request(`GET /api/posts/${id}?view=state${query}`)).json.state;

  describe(`who is trusted on ${engine}`, () => {
    it('stands in the state of its thread, and the receipt of a line "Trust:" says what it did', async () => {
      const root = (await post('Ann', 'IDEA: wells')).id as string;
      const [ann, bob, cid] = ['Ann', 'Bob', 'Cid'].map((name) => signerFor(name, root)) as [
        string,
        string,
        string,
      ];
      const result = await post('Bob', 'RESULT: a table', root);
      assert.equal('trust' in result, false);
      const alone = await stateOf(root);
      assert.deepEqual(alone.trusted, [{ name: 'Ann', signer: ann, why: 'opened' }]);
      assert.equal(alone.decidedBy, "Only the opener's reviews count here so far.");

      const unknown = await post('Ann', `Trust: ${bob} ${cid}`, root);
      const since = result.createdAt;
      assert.deepEqual(unknown.trust, [
        { signer: bob, trusted: true, names: ['Bob'], since },
        { signer: cid, trusted: false, names: [], since: null },
      ]);
      assert.deepEqual(unknown.warnings, [idle(cid)]);
      await post('Cid', 'here', root);
      const state = await stateOf(root);
      const names = state.trusted.map(({ name }: { name: string }) => name);
      assert.deepEqual(names, ['Ann', 'Bob', 'Cid']);
      assert.equal('distrusted' in state, false);

      const body = {
        message: `REVIEW: out\nOutcome: partly confirmed\nEvidence: read\nDistrust: ${bob.toUpperCase()}`,
        replyTo: result.id,
        authorKey: keyFor('Ann'),
      };
      const out = await callOverMcp(setting, 'post_message', body);
      const told = [out.trust, out.warnings];
      assert.deepEqual(told, [[{ signer: bob, trusted: false, names: ['Bob'], since }], []]);
      const after = await stateOf(root);
      assert.deepEqual(after.distrusted, [{ name: 'Bob', signer: bob, why: 'named', by: out.id }]);
      const overMcp = (await callOverMcp(setting, 'read_thread', { postId: root, view: 'state' })).state;
      assert.deepEqual(after, overMcp);
      const viewer = await stateOf(root, `&viewer=${bob}`);
      assert.deepEqual([viewer.trusted[0].name, viewer.viewer, 'distrusted' in viewer], ['Bob', bob, false]);
      assert.equal('viewer' in after, false);

      for (const [name, line, warning] of [
        ['Bob', `Distrust: ${ann}`, [OF_ANOTHER]],
        ['Bob', 'Trust: low', []],
        ['Ann', 'Distrust: Bob', [TEXT]],
        ['Ann', `Trust: ${bob} as ever`, [TEXT]],
        ['Bob', `Trust: ${bob} as ever`, [TEXT]],
        ['Ann', `Trust: ${ann}`, [`Your line changes nothing for ${ann}, which opened the thread`]],
        ['Ann', `Circle: without ${ann}`, [`Your line changes nothing for ${ann}, which opened the thread`]],
      ] as const) {
        const receipt = await post(name, line, root);
        assert.deepEqual(receipt.warnings, warning);
      }
      const unkeyed = { message: `Trust: ${bob}`, replyTo: root };
      const { warnings, trust } = (await request('POST /api/feed', { body: unkeyed })).json;
      assert.deepEqual([trust, warnings.includes(OF_ANOTHER)], [[], true]);
      assert.deepEqual((await post('Ann', 'Circle: 12 m around', root)).warnings, []);

      const twin = (await request(`GET /posts/${root}.md`)).text;
      assert.match(twin, /## Trusted here: 2\n\nThe reviews of 2 signers count here: /);
      assert.ok(
        twin.includes(`- ${ann} opened the thread\n- ${cid} is trusted by the opener (#3 ${unknown.id})`),
      );
      assert.ok(twin.includes(`Distrusted here: 1\n\n- ${bob} is distrusted by the opener (#5 ${out.id})`));
      const page = await request(`GET /posts/${root}`, { headers: { Accept: 'text/html' } });
      assert.match(
        page.text,
        /Distrusted here: <b><span class="name"><bdi>Bob<\/bdi><\/span><\/b> is distrusted by the opener \(<a href="#[^"]+">#5<\/a>\)/,
      );
    });

    it('is decided by a line in the marks of code and emphasis, and by sixteen signers of a message', async () => {
      const root = (await post('Ann', 'IDEA: wells')).id as string;
      const bob = signerFor('Bob', root);
      await post('Bob', 'here', root);
      const trusted = async (): Promise<number> => (await stateOf(root)).trusted.length;
      for (const signer of [`\`${bob}\``, `\`${bob}\`.`, `**${bob}**`, `${bob}.`]) {
        await post('Ann', `Trust: ${signer}`, root);
        assert.equal(await trusted(), 2, signer);
        await post('Ann', `**Distrust:** ${signer}`, root);
        assert.equal(await trusted(), 1, signer);
      }
      const others = Array.from({ length: 16 }, (_, n) => String(n).padStart(12, '0'));
      const { trust, warnings } = await post('Ann', `Trust: ${[...others, bob].join(' ')}`, root);
      assert.equal(trust.length, 16);
      const warning = 'Only the first 16 signers on your lines count: name the others in another message';
      assert.equal(warnings[0], warning);
      assert.equal(await trusted(), 1);
    });

    it('is decided by the last of several lines on one signer, and the receipt has one row of it', async () => {
      const root = (await post('Ann', 'IDEA: wells')).id as string;
      const bob = signerFor('Bob', root);
      await post('Bob', 'here', root);
      for (const [lines, isTrusted] of [
        [['Distrust', 'Trust'], true],
        [['Trust', 'Distrust'], false],
      ] as const) {
        const message = lines.map((label) => `${label}: ${bob}`).join('\n');
        const { trust, warnings } = await post('Ann', message, root);
        assert.deepEqual([trust.length, trust[0].trusted, warnings], [1, isTrusted, []]);
      }
    });

    it('is not called idle in the receipt of a retry after a later line has undone it', async () => {
      const root = (await post('Ann', 'IDEA: wells')).id as string;
      const bob = signerFor('Bob', root);
      await post('Bob', 'here', root);
      const send = async (label: string, idempotencyKey: string) => {
        const body = { message: `${label}: ${bob}`, replyTo: root, authorKey: keyFor('Ann'), idempotencyKey };
        const { trust, warnings, duplicate } = (await request('POST /api/feed', { body })).json;
        return [duplicate, trust[0].trusted, warnings];
      };
      assert.deepEqual(await send('Trust', 'trust-of-bob'), [false, true, []]);
      assert.deepEqual(await send('Distrust', 'distrust-of-bob'), [false, false, []]);
      const undone = `Your line no longer counts for ${bob}: a later message of yours decides about that signer`;
      assert.deepEqual(await send('Trust', 'trust-of-bob'), [true, false, [undone]]);
      assert.deepEqual(await send('Distrust', 'distrust-of-bob'), [true, false, []]);
    });

    it('names nothing that reports hold among what ended', async () => {
      const root = (await post('Ann', 'IDEA: wells')).id as string;
      const work = await post('Bob', 'WORK: x', root);
      const result = await post('Bob', 'RESULT: a table', root);
      const end = await post('Ann', `done\nEnds: ${root}`, root);
      const ended = async (): Promise<string[]> =>
        (await request('GET /api/work')).json.ended.flatMap((one: { id: string; rootId: string }) =>
          one.rootId === root ? [one.id] : [],
        );
      assert.deepEqual(await ended(), [root, work.id]);
      for (const { id } of [result, end]) await hide(setting.store, id, HELD);
      assert.deepEqual(await ended(), []);
      assert.equal((await stateOf(root)).underWay.length, 0);
      await unhide(setting.store, result.id);
      assert.deepEqual(await ended(), [work.id]);
      await hide(setting.store, work.id, HELD);
      assert.deepEqual(await ended(), []);
    });

    it('is shown within the bytes of a state and of the receipt of a REVIEW', async () => {
      const root = (await post('Ann', 'IDEA: wells')).id as string;
      const names = Array.from({ length: 16 }, (_, index) => `${'🦦'.repeat(78)}${index + 10}`);
      for (const name of names) await post(name, 'here', root);
      const signers = names.map((name) => signerFor(name, root)).join(' ');
      const result = await post('Bob', 'RESULT: a table', root);
      const many = `REVIEW: x\nOutcome: confirmed\nEvidence: read\nTrust: ${signers}`;
      const receipt = await post('Ann', many, result.id as string);
      assert.ok(JSON.stringify(receipt).length <= 1500, `${JSON.stringify(receipt).length} bytes`);
      assert.ok(receipt.trust.length >= 1);
      const state = await stateOf(root);
      assert.equal(state.trusted.length + state.more.trusted, 18);
      assert.equal(state.trusted[0].name, 'Ann');
      await post('Ann', `Distrust: ${signers}`, root);
      const { text } = await request(`GET /api/posts/${root}?view=state`);
      assert.ok(Buffer.byteLength(text) <= 6000);
      assert.ok(JSON.parse(text).state.distrusted.length > 4);
    });
  });
}
