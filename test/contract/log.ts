import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogCursor, LogLine } from '#store/port/pages.ts';
import type { Store } from '#store/port/store.ts';
import { openFirst, type OpenStore } from '../support/store/store-location.ts';
import { aPost, newId } from '../support/store/records.ts';
import { addPost, addRecord, erase, freeze, hide, importEntries, unhide } from '../support/store/writes.ts';

const idOf = ({ added, moderation }: LogLine): string => moderation?.id ?? added?.record.id ?? '';

/** @returns all lines, read in pages of `limit` */
async function readAll({ read }: Store, limit = 1000): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for (let after: LogCursor | null = null; ; ) {
    const page = await read.log(after, limit);
    assert.ok(page !== null);
    assert.ok(page.lines.length <= limit);
    lines.push(...page.lines);
    const last = lines.at(-1);
    assert.ok((last?.n ?? 0) <= page.newest);
    if (!page.more) return lines;
    after = last === undefined ? null : { n: last.n, id: idOf(last) };
  }
}

/** @returns of each line what it does, and the text of the record in it */
const summaryOf = (lines: readonly LogLine[]): string[] =>
  lines.map(({ added, moderation }) => {
    const record = added?.record ?? {};
    const text = 'message' in record ? record.message : 'note' in record ? record.note : added?.kind;
    return [moderation?.action, text].filter(Boolean).join(' ');
  });

const aProject = () => ({
  id: newId('project'),
  title: 't',
  summary: 's',
  by: 'b',
  url: null,
  looking_for: null,
});

export function testLog(open: OpenStore): void {
  test('the log has what is visible now in the order of arrival, and every moderation', async (t) => {
    const { location, store } = await openFirst(t, open);
    assert.deepEqual(await store.read.log(null, 9), { lines: [], more: false, newest: 0 });
    const [a, b, c] = [await addPost(store, 'a'), await addPost(store, 'b'), await addPost(store, 'c')];
    await freeze(store);
    const old = { ...aPost('old'), createdAt: '2020-01-01T00:00:00.000000Z' };
    await importEntries(store, [{ kind: 'post', record: old }]);
    await hide(store, a.record.id, 'spam');
    await hide(store, b.record.id);
    await unhide(store, b.record.id);
    await erase(store, c.record.id);
    for (const one of [store, await location.open()]) {
      const lines = await readAll(one);
      assert.deepEqual(summaryOf(lines), ['b', 'old', 'hide', 'hide', 'unhide b', 'erase']);
      assert.deepEqual(lines[1]?.added, { kind: 'post', record: old });
      assert.deepEqual(
        { ...lines[2]?.moderation, at: '' },
        { action: 'hide', id: a.record.id, at: '', reason: 'spam' },
      );
      assert.ok(lines.every(({ n }, index) => n > (lines[index - 1]?.n ?? 0)));
      for (const limit of [1, 2, 5]) assert.deepEqual(await readAll(one, limit), lines);
    }
    await hide(store, b.record.id);
    assert.deepEqual(summaryOf(await readAll(store)), ['old', 'hide', 'hide', 'unhide', 'erase', 'hide']);
  });

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
    assert.deepEqual(summaryOf(lines), ['a', 'hide', 'unhide a', 'erase']);
    for (const { read } of [store, await location.open()])
      for (const line of lines) {
        const cursor = { n: line.n, id: idOf(line), at: timeOf(line) };
        assert.ok((await read.log(cursor, 9)) !== null);
        for (const other of lines)
          if (other !== line) assert.equal(await read.log({ ...cursor, at: timeOf(other) }, 9), null);
      }
  });

  test('notes are in the log unless their project is hidden or erased', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [shown, gone, absent] = [aProject(), aProject(), newId('project')];
    for (const project of [shown, gone]) await addRecord(store, 'project', project);
    for (const [projectId, note] of [
      [shown.id, 'x'],
      [gone.id, 'y'],
      [absent, 'z'],
    ] as const)
      await addRecord(store, 'note', { id: newId('note'), projectId, name: 'n', note });
    const summary = async (): Promise<string[]> => summaryOf(await readAll(await location.open()));
    assert.deepEqual(await summary(), ['project', 'project', 'x', 'y', 'z']);
    await hide(store, shown.id);
    await erase(store, gone.id);
    assert.deepEqual(await summary(), ['z', 'hide', 'erase']);
    const [note] = await store.read.page('note', { within: shown.id, order: 'oldest', limit: 1 });
    await hide(store, note!.record.id);
    await unhide(store, note!.record.id);
    assert.deepEqual((await summary()).slice(3), ['hide', 'unhide']);
    await unhide(store, shown.id);
    assert.deepEqual(await summary(), [
      ...['project', 'x', 'z', 'hide', 'erase', 'hide', 'unhide x', 'unhide project'],
    ]);
  });

  test('a moderation that arrives before its record stands before it', async (t) => {
    const { location, store } = await openFirst(t, open);
    const [hidden, shown] = ['hidden', 'shown'].map((text, index) => ({
      ...aPost(text),
      createdAt: `2020-01-0${index + 1}T00:00:00.000000Z`,
    }));
    const moderate = (action: 'hide' | 'unhide', id: string, day: number) =>
      ({ action, id, at: `2020-01-0${day}T00:00:00.000000Z`, reason: 'x' }) as const;
    await importEntries(store, [
      moderate('hide', hidden!.id, 3),
      moderate('unhide', shown!.id, 4),
      { kind: 'post', record: hidden! },
      { kind: 'post', record: shown! },
      moderate('hide', shown!.id, 3),
    ]);
    for (const one of [store, await location.open()])
      assert.deepEqual(summaryOf(await readAll(one)), ['hide', 'unhide shown', 'shown', 'hide']);
  });
}
