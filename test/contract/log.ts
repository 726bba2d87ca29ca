import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogCursor, LogLine } from '#store/port/pages.ts';
import type { Store } from '#store/port/store.ts';
import { openFirst, type OpenStore } from '../support/store/store-location.ts';
import { newId } from '../support/store/records.ts';
import { addPost, erase, hide, unhide } from '../support/store/writes.ts';

const idOf = ({ added, moderation }: LogLine): string => moderation?.id ?? added?.record.id ?? '';

const readAll = async ({ read }: Store): Promise<readonly LogLine[]> => (await read.log(null, 99))!.lines;

export function testLog(open: OpenStore): void {
  test('a line is known by its number and id after its record is hidden or erased, and by no other pair', async (t) => {
    const { location, store } = await openFirst(t, open);
    const ids = [(await addPost(store, 'a')).record.id, (await addPost(store, 'b')).record.id];
    const cursors = (await readAll(store)).map((line): LogCursor => ({ n: line.n, id: idOf(line) }));
    await hide(store, ids[0]!);
    await erase(store, ids[1]!);
    // An erase may be repeated.
    await erase(store, ids[1]!);
    cursors.push(...(await readAll(store)).map((line): LogCursor => ({ n: line.n, id: idOf(line) })));
    assert.deepEqual(
      cursors.map(({ id }) => id),
      [...ids, ids[0], ids[1], ids[1]],
    );
    const { newest } = (await store.read.log(null, 1))!;
    for (const { read } of [store, await location.open()]) {
      for (const [index, cursor] of cursors.entries()) {
        const page = await read.log(cursor, 9);
        assert.deepEqual(
          page?.lines.map(idOf),
          cursors.slice(Math.max(index + 1, 2)).map(({ id }) => id),
        );
        const others = [...cursors.map(({ id }) => id), newId('post'), '', '\0'].filter(
          (id) => id !== cursor.id,
        );
        for (const id of others) assert.equal(await read.log({ ...cursor, id }, 9), null);
      }
      for (const n of [newest + 1, 2 ** 40]) assert.equal(await read.log({ n, id: ids[0]! }, 9), null);
    }
  });

  test('a line about the same record at another time is another one', async (t) => {
    const { location, store } = await openFirst(t, open);
    const ids: string[] = [];
    for (const text of ['a', 'b']) ids.push((await addPost(store, text)).record.id);
    const [added] = await readAll(store);
    await hide(store, ids[0]!);
    await unhide(store, ids[0]!);
    await erase(store, ids[1]!);
    const timeOf = ({ added: adds, moderation }: LogLine) => moderation?.at ?? adds!.record.createdAt;
    const lines = [added!, ...(await readAll(store)).slice(1)];
    assert.deepEqual(
      lines.map(({ moderation }) => moderation?.action),
      [undefined, 'hide', 'unhide', 'erase'],
    );
    for (const { read } of [store, await location.open()])
      for (const line of lines) {
        const cursor = { n: line.n, id: idOf(line), at: timeOf(line) };
        assert.ok((await read.log(cursor, 9)) !== null);
        for (const other of lines)
          if (other !== line) assert.equal(await read.log({ ...cursor, at: timeOf(other) }, 9), null);
      }
  });
}
