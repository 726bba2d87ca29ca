import assert from 'node:assert/strict';
import type { FolderStoreOptions } from '#store/folder/options.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Lookup, Store } from '#store/port/store.ts';
import {
  lookUpAnswers,
  readAnswers,
  readLocalAnswers,
  type Answers,
  type Probes,
} from '../differential/store-answers.ts';
import { NO_PROOF_MS } from '../proof-delay.ts';
import { historyOf } from '../store-location.ts';
import { addRecord, erase } from '../writes.ts';
import { assertErased } from './check-traces.ts';
import type { MachineModel } from './machine-model.ts';
import { FOLDER, ModelDisk, SNAPSHOT_PATH } from './model-disk.ts';
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
  /** Whether there may be a snapshot: then a start from it has to know what a start knows that reads every line. */
  readonly hasSnapshots: boolean;
}

/**
 * Opens the store on a machine without faults and checks what was answered: every acknowledged write counts
 * once, no refused one does, no trace of an erased post is in any file, and the store takes another post.
 */
export async function checkMachine({ machine, outcomes, posts, hasSnapshots }: MachineState): Promise<void> {
  const reread = machine.copy();
  const every = await openStore(reread, { readsEveryLine: true });
  await checkOutcomes(every, outcomes, posts);
  if (!hasSnapshots) {
    await addLastPost(every);
    await every.close();
    assertAllErased(reread, outcomes);
    return;
  }
  const expected = await answersOf(every, posts);
  await every.close();
  const restored = await openStore(machine);
  assertAnswers(await answersOf(restored, posts), expected);
  assertAllErased(machine, outcomes);
  await addLastPost(restored);
  // Of all that does not count too, whatever the snapshot says.
  for (const id of [...outcomes.stored].filter((id) => !outcomes.erased.has(id)).slice(0, 2)) {
    await erase(restored, id);
    assertErased(machine, id);
  }
  await restored.close();
}

/** Checks that what a start takes from a new snapshot is what a start reads that reads every line. */
export async function checkSnapshot({ machine, posts }: MachineState): Promise<void> {
  const writer = await openStore(machine, { writesSnapshot: true });
  await writer.close();
  assert.equal(machine.cachedNames.has(SNAPSHOT_PATH), true);
  const every = await openStore(machine.copy(), { readsEveryLine: true });
  const expected = await answersOf(every, posts);
  await every.close();
  const restored = await openStore(machine);
  assertAnswers(await answersOf(restored, posts), expected);
  await restored.close();
}

/** @param options that differ from those of a process without faults */
export function openStore(machine: MachineModel, options: Partial<FolderStoreOptions> = {}): Promise<Store> {
  return openFolderStore({
    disk: ModelDisk.withoutFaults(machine),
    folder: FOLDER,
    clock: { now: () => NOW },
    report: () => undefined,
    pause: async () => undefined,
    proofDelayMs: NO_PROOF_MS,
    ...options,
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
    const { writeEntry } = addOf(idOf(number));
    if (writeEntry === undefined) continue;
    const { clientKey, limitScope, key, content, kind } = writeEntry;
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
    assert.deepEqual(answers[question], answer, `a start from the snapshot has another answer: ${question}`);
}

async function addLastPost(store: Store): Promise<void> {
  await addRecord(store, 'post', { ...postOf(LAST_POST), parentId: null, rootId: idOf(LAST_POST) });
}
