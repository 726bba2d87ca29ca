import assert from 'node:assert/strict';
import test from 'node:test';
import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import { decodeEntry, encodeExport } from '#workspace/log/export-format.ts';

const NO_MARKS = [
  ...['0123456789aB', '0123456789U0', '0123456789I0', '0123456789A', '', 'a'.repeat(8192)],
  ...[null, 12, 1e300, {}, ['0123456789az']],
];

async function linesOf(entries: readonly (ExportedRecord | ModerationEntry)[]): Promise<string[]> {
  const lines: string[] = [];
  const history = (async function* () {
    yield* entries;
  })();
  for await (const line of encodeExport(history)) lines.push(line);
  return lines;
}

test('entries with equal timestamps are exported by id, whatever order the engine returns them in', async () => {
  const guest = (id: string, time: number): ExportedRecord => ({
    kind: 'guest',
    record: {
      id: `guest_${id}`,
      name: 'x',
      kind: null,
      note: 'x',
      createdAt: `2026-01-01T00:00:0${time}.000000Z`,
    },
  });
  const [a, b, c, d] = [guest('z', 1), guest('b', 2), guest('a', 2), guest('a2', 3)];
  const lines = await linesOf([a, b, c, d]);
  assert.deepEqual(lines, await linesOf([a, c, b, d]));
  const ids = lines.slice(1, -1).map((line) => /guest_\w+/.exec(line)?.[0]);
  assert.deepEqual(ids, ['guest_z', 'guest_a', 'guest_b', 'guest_a2']);
});

test('moderations of one record with equal timestamps are exported in the order of their arrival', async () => {
  const at = '2026-01-01T00:00:00.000000Z';
  const entries = (['hide', 'unhide', 'hide', 'unhide'] as const).map((action, index) => ({
    action,
    id: 'post_a',
    at,
    reason: String(index),
  }));
  const lines = await linesOf(entries);
  const reasons = lines.slice(1, -1).map((line) => /"reason":"(\d)"/.exec(line)?.[1]);
  assert.deepEqual(reasons, ['0', '1', '2', '3']);
});

test('a mark of 12 digits in one case is part of an entry, any other value is refused', () => {
  const decode = (mark: unknown) => {
    const post = { id: 'post_a', mark, message: 'x', parentId: null, rootId: 'post_a' };
    return decodeEntry(
      { post: { ...post, createdAt: '2026-01-01T00:00:00.000000Z' } },
      Date.parse('2026-01-02'),
    );
  };
  for (const mark of ['0123456789AZ', '0123456789az', '012345678901']) {
    const { record } = decode(mark) as ExportedRecord<'post'>;
    assert.equal(record.mark, mark);
  }
  for (const mark of NO_MARKS) assert.throws(() => decode(mark), /mark /);
});

test('only the erase of a post may have a mark', () => {
  const decode = (fields: object) => {
    const erase = { action: 'erase', id: 'post_a', at: '2026-01-01T00:00:00.000000Z', reason: 'x' };
    return decodeEntry({ moderation: { ...erase, ...fields } }, Date.parse('2026-01-02'));
  };
  for (const mark of [undefined, '0123456789AZ', '0123456789az'])
    assert.equal((decode({ mark }) as ModerationEntry).mark, mark);
  for (const mark of NO_MARKS) assert.throws(() => decode({ mark }), /mark must be 12 digits|mark Invalid/);
  const mark = '0123456789az';
  for (const fields of [{ action: 'hide' }, { action: 'unhide' }, { id: 'guest_a' }, { id: 'note_a' }])
    assert.throws(() => decode({ mark, ...fields }), /mark belongs to an erase of a post/);
});

test('sameKeyAs of a file has only ids on lines "Same key as:" of a signed post, at most three', () => {
  const id = (n: number): string => `post_01a214ad-06aa-73b3-b136-91544051f4c${n}`;
  const line = (n: number): string => `Same key as: ${id(n)}`;
  const decode = (message: string, sameKeyAs: unknown, given: object = { mark: '0123456789ab' }) => {
    const post = { id: 'post_a', message, parentId: null, rootId: 'post_a', sameKeyAs, ...given };
    const entry = { post: { ...post, ...given, createdAt: '2026-01-01T00:00:00.000000Z' } };
    return (decodeEntry(entry, Date.parse('2026-01-02')) as ExportedRecord<'post'>).record.sameKeyAs;
  };
  const lines = [1, 2, 3, 4].map(line).join('\n');
  assert.deepEqual(decode(lines, [id(3), id(1)]), [id(1), id(3)]);
  assert.deepEqual(decode(lines, [id(4), id(2)]), [id(2)]);
  for (const message of ['x', `as ${id(1)} is`, `> ${line(1)}`, line(2)])
    assert.equal(decode(message, [id(1)]), undefined, message);
  assert.equal(decode(line(1), [id(1)], {}), undefined, 'without a mark');
  for (const given of [undefined, []]) assert.equal(decode(line(1), given), undefined);
  for (const wrong of [null, id(1), {}, [7], [{}], ['x'], [1, 2, 3, 4].map(id), ['post_'.padEnd(8192, 'x')]])
    assert.throws(() => decode(lines, wrong), /sameKeyAs/);
});
