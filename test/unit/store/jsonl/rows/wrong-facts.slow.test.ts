import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { RowsFile } from '#store/jsonl/rows/rows-codec.ts';
import { StoreFailure } from '#store/store.ts';
import { Machine, post, visibleTexts, type Process } from '../../../../support/store/machine.ts';
import { anOrigin, aReply } from '../../../../support/store/records.ts';
import {
  FEW_LINES,
  readRowsFile,
  rowsNames,
  writeRows,
  writeRowsFile,
} from '../../../../support/store/rows.ts';
import { addRecord } from '../../../../support/store/writes.ts';

type Change = (file: RowsFile) => Partial<RowsFile> | undefined;

/** Changes one element of a column in place. */
const set =
  (column: (file: RowsFile) => Record<number, number>, index: number, value: number): Change =>
  (file) => {
    column(file)[index] = value;
    return file;
  };

const BIG = 2 ** 31 - 1;

const CHANGES: Record<string, Change> = {
  'a line one byte further': set((file) => file.offsets, 1, 1),
  'a line behind the end': set((file) => file.offsets, 1, 2 ** 40),
  'a line before the beginning': set((file) => file.offsets, 1, -7),
  'a line nowhere': set((file) => file.offsets, 1, NaN),
  'a last line nowhere': set((file) => file.offsets, 3, NaN),
  'a longer line': set((file) => file.lengths, 1, 1000),
  'a line without bytes': set((file) => file.lengths, 1, 0),
  'a line of a negative length': set((file) => file.lengths, 1, -1),
  'another time': set((file) => file.rows.times, 1, 1e-290),
  'no time': set((file) => file.rows.times, 1, NaN),
  'an infinite time': set((file) => file.rows.times, 1, Infinity),
  'a time before all': set((file) => file.rows.times, 1, -5),
  'another UUID': set((file) => file.rows.uuids, 7, 99),
  'the UUID of another line': set((file) => file.rows.uuids, 7, 0),
  'another kind': set((file) => file.rows.kinds, 1, 2),
  'a kind that does not exist': set((file) => file.rows.kinds, 1, 200),
  'another prefix': set((file) => file.rows.prefixes, 1, 0),
  'a prefix that does not exist': set((file) => file.rows.prefixes, 1, 200),
  'another parent': set((file) => file.rows.parents, 3, 1),
  'a parent that does not exist': set((file) => file.rows.parents, 1, BIG),
  'a parent before all': set((file) => file.rows.parents, 1, -BIG),
  'another root': set((file) => file.rows.roots, 3, 1),
  'a root that does not exist': set((file) => file.rows.roots, 1, BIG),
  'no root': set((file) => file.rows.roots, 1, 0),
  'a wrong end of references': set((file) => file.rows.referenceEnds, 1, 3),
  'an end of references far behind': set((file) => file.rows.referenceEnds, 1, BIG),
  'an end of references before the beginning': set((file) => file.rows.referenceEnds, 1, -BIG),
  'another reference': set((file) => file.rows.references, 1, 1),
  'a reference that does not exist': set((file) => file.rows.references, 0, BIG),
  'another due time': set((file) => file.rows.statedDues, 1, 12345),
  'an infinite due time': set((file) => file.rows.statedDues, 1, Infinity),
  'another name': set((file) => file.rows.names, 1, 12345),
  'a signed line that is not': set((file) => file.signed, 0, 1),
  'a line that is not signed': set((file) => file.signed, 2, 0),
  'another segment': (file) => ({ log: file.log + 1 }),
  'another seed': (file) => ({ seed: file.seed + 1 }),
  'another number of the first line': (file) => ({ from: file.from + 1 }),
  'fewer lines': () => ({ count: 3 }),
  'more lines': () => ({ count: 5 }),
  'far more lines': () => ({ count: BIG }),
  'a negative number of lines': () => ({ count: -1 }),
  'prefixes that are no texts': ({ rows }) => ({ rows: { ...rows, prefixNames: [7] as unknown as [] } }),
};

/** Reads a store in several ways. */
async function readAll({ store }: Process, change: string): Promise<void> {
  const reads = [
    store.read.page('post', { order: 'newest', limit: 99 }),
    store.read.threads({ limit: 99, maxCandidates: 99 }),
    store.read.feed({ words: ['text'] }, { limit: 99, maxCandidates: 99 }),
    store.read.workCounts(0),
    store.read.totals(),
  ];
  for (const read of await Promise.allSettled(reads))
    if (read.status === 'rejected')
      assert.ok(read.reason instanceof StoreFailure, `${change}: ${String(read.reason)}`);
}

test('a file of rows with a wrong fact and a right checksum crashes nothing, and check finds it', async (t) => {
  const machine = new Machine(t);
  const a = await machine.start();
  const idea = await post(a, 'IDEA: text');
  const work = await addRecord(a.store, 'post', aReply(idea.record.id, 'WORK: text', { name: 'Heron' }));
  await post(a, 'text', anOrigin('v'));
  for (let n = 4; n <= 9; n++) await addRecord(a.store, 'post', aReply(work.record.id, `RESULT: text ${n}`));
  await a.store.close();
  await writeRows(machine);
  const [first = ''] = rowsNames(machine);
  const bytes = readFileSync(machine.path(`rows/${first}`));
  const every = await machine.start(undefined, undefined, { readsEveryLine: true });
  for (const [name, change] of Object.entries(CHANGES)) {
    const file = readRowsFile(machine, first);
    writeRowsFile(machine, first, { ...file, ...change(file) });
    assert.deepEqual(await every.store.findMisfits(), [`rows/${first}`], name);
    const process = await machine.start(undefined, undefined, { rows: FEW_LINES });
    await readAll(process, name);
    await post(process, `after ${name}`);
    await process.store.close();
    assert.ok(process.reports.length <= 1, name);
    writeFileSync(machine.path(`rows/${first}`), bytes);
  }
  assert.deepEqual(await every.store.findMisfits(), []);
  const texts = await visibleTexts(every);
  assert.deepEqual(
    texts.slice(9),
    Object.keys(CHANGES).map((name) => `after ${name}`),
  );
});
