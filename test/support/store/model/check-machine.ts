import assert from 'node:assert/strict';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import type { Lookup, Store } from '#store/store.ts';
import {
  lookUpAnswers,
  readAnswers,
  readLocalAnswers,
  type Answers,
  type Probes,
} from '../differential/store-answers.ts';
import { NO_PROOF_MS } from '../proof-delay.ts';
import { FEW_LINES, RowsProcess } from '../rows.ts';
import { historyOf } from '../store-location.ts';
import { addRecord } from '../writes.ts';
import { assertErased } from './check-traces.ts';
import type { MachineModel } from './machine-model.ts';
import { FOLDER, ModelDisk } from './model-disk.ts';
import { addOf, idOf, NOW, postOf } from './model-records.ts';
import type { Outcomes } from './outcomes.ts';

/** A number that no post of a run has. */
const LAST_POST = 999;
const HOUR_MS = 3_600_000;

/** A machine on which processes ran. */
export interface MachineState {
  readonly machine: MachineModel;
  readonly outcomes: Outcomes;
  /** How many posts there may be. */
  readonly posts: number;
  /** Of the folder `rows`: then starts from it have to read what a start reads that reads every line. */
  readonly linesPerFile: number | undefined;
}

/**
 * Opens the store on a machine without faults and checks what was answered: every acknowledged write counts
 * once, no refused one does, no trace of an erased post is in any file, and the store takes another post.
 */
export async function checkMachine({ machine, outcomes, posts, linesPerFile }: MachineState): Promise<void> {
  const reread = machine.copy();
  const every = await openStore(reread, undefined);
  await checkOutcomes(every, outcomes, posts);
  if (linesPerFile === undefined) {
    await addLastPost(every);
    await every.close();
    assertAllErased(reread, outcomes);
    return;
  }
  const expected = await answersOf(every, posts);
  await every.close();
  const restored = await openStore(machine, linesPerFile);
  assertAnswers(await answersOf(restored, posts), expected);
  assertAllErased(machine, outcomes);
  await addLastPost(restored);
  await restored.close();
}

/** Checks that what a start takes from rows, once all of them are written, is what a start reads that reads every line. */
export async function checkRows({ machine, posts, linesPerFile }: MachineState): Promise<void> {
  if (linesPerFile === undefined) return;
  await writeRows(machine, linesPerFile);
  const every = await openStore(machine.copy(), undefined, linesPerFile);
  assert.deepEqual(await every.findMisfits(), [], 'files of rows do not fit the log');
  const expected = await answersOf(every, posts);
  await every.close();
  const restored = await openStore(machine, linesPerFile);
  assertAnswers(await answersOf(restored, posts), expected);
  await restored.close();
}

/** @param readsFrom how many lines a file describes of those that the start uses; undefined: it reads every line */
export function openStore(
  machine: MachineModel,
  readsFrom: number | undefined,
  linesPerFile = readsFrom ?? 1,
  disk = ModelDisk.withoutFaults(machine),
): Promise<Store> {
  return openJsonlStore({
    disk,
    folder: FOLDER,
    clock: { now: () => NOW },
    report: () => undefined,
    pause: async () => undefined,
    proofDelayMs: NO_PROOF_MS,
    rows: { ...FEW_LINES, linesPerFile },
    readsEveryLine: readsFrom === undefined,
  });
}

async function checkOutcomes(store: Store, outcomes: Outcomes, posts: number): Promise<void> {
  const history = await historyOf(store);
  const ids = history.flatMap((entry) => ('record' in entry ? [entry.record.id] : []));
  assert.equal(new Set(ids).size, ids.length, 'posts count more than once');
  const moderations = history.flatMap((entry) => ('action' in entry ? [entry] : []));
  const erased = new Set(moderations.filter(({ action }) => action === 'erase').map(({ id }) => id));
  for (const id of outcomes.stored)
    assert.ok(ids.includes(id) || erased.has(id), `the acknowledged ${id} is lost`);
  for (const id of outcomes.refused) assert.ok(!ids.includes(id), `the refused ${id} is stored`);
  for (const id of outcomes.erased) assert.ok(erased.has(id), `the acknowledged erase of ${id} is lost`);
  for (const at of outcomes.moderated)
    assert.ok(
      moderations.some((entry) => entry.at === at),
      `the acknowledged moderation at ${at} is lost`,
    );
  const written = new Map(Array.from({ length: posts }, (_, n) => [idOf(n + 1), postOf(n + 1)] as const));
  for (const entry of history)
    if ('record' in entry)
      assert.deepEqual(entry.record, written.get(entry.record.id), 'a post is not as it was written');
}

/** Checks that no trace of an acknowledged erase is in any file. */
export function assertAllErased(machine: MachineModel, { erased }: Outcomes): void {
  for (const id of erased) assertErased(machine, id);
}

/** @returns all that can be read of a store, and what a write would be decided on */
async function answersOf(store: Store, posts: number): Promise<Answers> {
  const ids = Array.from({ length: posts }, (_, n) => idOf(n + 1));
  const timestamps = ids.map((_, n) => postOf(n + 1).createdAt).toSorted();
  const bounds = timestamps.slice(1, 2).map((after) => [after, timestamps.at(-1) ?? after] as const);
  const asked = { ids: { post: ids, guest: [], project: [], note: [] }, all: ids };
  const probes: Probes = { ...asked, timestamps, parents: ids.slice(0, 9), bounds };
  return {
    ...(await readAnswers(store, probes)),
    ...(await readLocalAnswers(store)),
    ...(await lookUpAnswers(store, probes)),
    ...(await lookUpEntries(store, posts)),
  };
}

/** @returns what the write entries of all posts are found by */
function lookUpEntries(store: Store, posts: number): Promise<Answers> {
  const lookups: Record<string, Lookup> = {};
  for (let number = 1; number <= posts; number++) {
    const { visit } = addOf(idOf(number));
    if (visit === undefined) continue;
    const { visitor: clientKey, budget: limitScope, key, content, kind } = visit;
    const what = { kind, origin: { clientKey, limitScope, key, content }, windowMs: 24 * HOUR_MS };
    if (key !== null) lookups[`retry of ${number}`] = { type: 'idempotentHit', ...what };
    lookups[`duplicate of ${number}`] = { type: 'recentDuplicate', ...what };
  }
  return store.write(lookups, (facts) => ({
    answer: Object.fromEntries(Object.keys(lookups).map((name) => [name, facts[name]])),
  }));
}

function assertAnswers(answers: Answers, expected: Answers): void {
  for (const [question, answer] of Object.entries(expected))
    assert.deepEqual(answers[question], answer, `a start from rows has another answer: ${question}`);
}

async function addLastPost(store: Store): Promise<void> {
  await addRecord(store, 'post', { ...postOf(LAST_POST), parentId: null, rootId: idOf(LAST_POST) });
}

async function writeRows(machine: MachineModel, linesPerFile: number): Promise<void> {
  const place = { folder: FOLDER, clock: { now: () => NOW } };
  const disk = ModelDisk.withoutFaults(machine);
  const writer = await RowsProcess.start(place, disk, { rows: { ...FEW_LINES, linesPerFile } });
  await writer.writeAll();
  await writer.close();
}
