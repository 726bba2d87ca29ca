import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddOperation, Operation } from '#store/engine/operation.ts';
import type { AnyRecord, Kind, Post } from '#store/records.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import { UNKNOWN, type RecordRows } from '#store/memory/rows/record-rows.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

const LINES = 160;
const LINES_PER_FILE = 8;
const START = Date.parse('2026-11-21T10:00:00.000Z');

/** Operations in the order of their lines, from line 1 on, as an import in any order makes them. */
function randomLog(random: SeededRandom): Operation[] {
  const below = (bound: number): number => random.below(bound);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
  const uuid = (n: number): string => `${String(n).padStart(8, '0')}-0000-7000-8000-000000000000`;
  // Of few numbers, so that records name later ones, equal UUIDs of several kinds, and some that never come.
  const postIds = Array.from({ length: LINES }, (_, n) => (n % 9 === 8 ? `post_${n}` : `post_${uuid(n)}`));
  const unused = postIds.filter((_, n) => n % 11 !== 10);
  const at = (): string => new Date(START + below(1e9)).toISOString().replace('Z', `00${below(10)}Z`);
  const added: string[] = [];
  return Array.from({ length: LINES }, (_, n): Operation => {
    const roll = below(20);
    if (added.length > 0 && roll < 5) {
      const action = (['hide', 'unhide', 'hide', 'unhide', 'erase'] as const)[roll]!;
      return { action, id: pick(added), at: at(), reason: 'a test' };
    }
    if (roll === 5) return { action: pick(['freeze', 'thaw'] as const), at: at() };
    const createdAt = at();
    const kind: Kind = roll < 8 ? pick(['guest', 'project', 'note'] as const) : 'post';
    const id = kind === 'post' ? unused.splice(below(unused.length), 1)[0]! : `${kind}_${uuid(n)}`;
    added.push(id);
    const prefix = pick(['IDEA', 'WORK', 'RESULT', 'REVIEW', null]);
    const parentId = below(2) === 0 ? pick(postIds) : null;
    const records: Record<Kind, object> = {
      post: {
        id,
        message: `${prefix ?? ''}: see ${below(2) === 0 ? pick(postIds) : 'nothing'} until 2026-12-01`,
        prefix,
        parentId,
        rootId: parentId ?? id,
        answers: [],
        name: pick(['Heron', 'Ö', undefined]),
        createdAt,
      },
      guest: { id, name: 'n', kind: null, note: 'n', createdAt },
      project: { id, title: 't', summary: 's', by: 'b', url: null, looking_for: null, createdAt },
      note: { id, projectId: `project_${uuid(below(LINES))}`, name: 'n', note: 'n', createdAt },
    };
    return { action: 'add', kind, record: records[kind] as AnyRecord } as AddOperation;
  });
}

function newIndex(log: readonly Operation[]): RecordIndex {
  const recordAt = (row: number): AnyRecord | undefined => {
    const operation = log[row - 1];
    return operation?.action === 'add' ? operation.record : undefined;
  };
  return new RecordIndex({ read: (rows) => rows.map(recordAt) });
}

/** @returns all that depends on what columns hold */
function answersOf(index: RecordIndex, log: readonly Operation[]): unknown[] {
  const kinds = ['post', 'guest', 'project', 'note'] as const;
  const ids = [...new Set(log.flatMap((line) => (line.action === 'add' ? line.record.id : [])))];
  const idsOf = (numbers: readonly number[]): string[] => numbers.map((number) => index.table.idOf(number));
  return [
    index.lastTimestamp,
    index.frozen,
    kinds.map((kind) => idsOf(index.page(kind, { order: 'newest', limit: 999 }))),
    ids.map((id) => [id, index.rowOf(id), index.has(id), index.isVisible(id), index.states.state(id)]),
    ids.map((id) => idsOf(index.page('post', { order: 'oldest', within: id, limit: 99 }))),
    ids.map((id) => idsOf(index.page('post', { order: 'oldest', thread: id, limit: 99 }))),
    ids.map((id) => idsOf(index.links.takersOf(index.table.numberOf(id), 99))),
    index.viewsOf(index.page('post', { order: 'oldest', limit: 999 })),
    index.board(START).counts(),
    index.board(START + 30 * 86_400_000).counts(),
    index.orders.totals(),
  ];
}

const filesOf = (index: RecordIndex): RecordRows[] =>
  Array.from({ length: LINES / LINES_PER_FILE }, (_, n) =>
    index.exportRows(1 + n * LINES_PER_FILE, LINES_PER_FILE),
  );

/** An index that takes known lines from the columns, and applies the others. */
function restoredFrom(files: readonly RecordRows[], log: readonly Operation[]): RecordIndex {
  const index = newIndex(log);
  for (const [n, operation] of log.entries()) {
    const rows = files[Math.floor(n / LINES_PER_FILE)]!;
    const at = n % LINES_PER_FILE;
    if (rows.kinds[at] === UNKNOWN) index.apply(operation, START, n + 1);
    else index.restore(rows, at, at + 1, n + 1);
  }
  return index;
}

test('an index restored from rows answers as the one that applied the operations, and exports the same rows', () => {
  let [known, unknown] = [0, 0];
  for (let seed = 1; seed <= 12; seed++) {
    const log = randomLog(new SeededRandom(seed));
    const applied = newIndex(log);
    for (const [n, operation] of log.entries()) applied.apply(operation, START, n + 1);
    const files = filesOf(applied);
    const restored = restoredFrom(files, log);
    assert.deepEqual(answersOf(restored, log), answersOf(applied, log), `seed ${seed}`);
    assert.deepEqual(filesOf(restored), files, `seed ${seed}`);
    for (const { kinds } of files)
      for (const kind of kinds) {
        if (kind === UNKNOWN) unknown += 1;
        else known += 1;
      }
  }
  assert.ok(known > 400 && unknown > 400, `${known} known, ${unknown} unknown`);
});

test('rows say the same whether they are exported right behind their last line or later, but of records that were erased', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const log = randomLog(new SeededRandom(seed)).filter(({ action }) => action !== 'erase');
    const index = newIndex(log);
    const early: RecordRows[] = [];
    for (const [n, operation] of log.entries()) {
      index.apply(operation, START, n + 1);
      if ((n + 1) % LINES_PER_FILE === 0)
        early.push(index.exportRows(n + 2 - LINES_PER_FILE, LINES_PER_FILE));
    }
    assert.deepEqual(
      early.map((_, n) => index.exportRows(1 + n * LINES_PER_FILE, LINES_PER_FILE)),
      early,
      `seed ${seed}`,
    );
  }
});

test('unknown are lines that add no record, erased records, ids that are no UUIDs and posts whose parent or root came later', () => {
  const id = (n: number): string => `post_0000000${n}-0000-7000-8000-000000000000`;
  const add = (post: string, given: Partial<Post> = {}): Operation => ({
    action: 'add',
    kind: 'post',
    record: {
      id: post,
      message: 'a',
      prefix: null,
      parentId: null,
      rootId: post,
      answers: [],
      createdAt: '2026-11-21T10:00:00.000000Z',
      ...given,
    },
  });
  const log = [
    add(id(1)),
    add('post_abc'),
    add(id(2)),
    { action: 'erase', id: id(2), at: '2026-11-21T10:00:00.000000Z', reason: '' } as Operation,
    add(id(3), { parentId: id(5), rootId: id(1) }),
    add(id(4), { parentId: id(1), rootId: id(5) }),
    add(id(5), { parentId: id(1), rootId: id(1), message: `see ${id(6)}` }),
    add(id(6), { parentId: id(1), rootId: id(1), prefix: 'RESULT', message: `see ${id(5)}` }),
    add(id(7), { parentId: id(2), rootId: id(2) }),
    add(id(8), { parentId: id(9), rootId: id(9) }),
  ];
  const index = newIndex(log);
  for (const [n, operation] of log.entries()) index.apply(operation, START, n + 1);
  const { kinds, parents, roots, prefixes, prefixNames, references, namedUuids } = index.exportRows(
    1,
    log.length,
  );
  assert.deepEqual([...kinds], [1, 0, 0, 0, 0, 0, 1, 1, 1, 0]);
  assert.deepEqual([parents[7], roots[7], prefixNames[prefixes[7]!]], [1, 1, 'RESULT']);
  // An erased record leaves the number of its line.
  assert.deepEqual([parents[8], roots[8]], [3, 3]);
  // The post that a later line added is the first of `namedUuids`.
  assert.deepEqual([...references], [1, -1, 1, 7, 3]);
  assert.equal(namedUuids.length, 4);
});
