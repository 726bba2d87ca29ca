import assert from 'node:assert/strict';
import type { Change, Store } from '#store/port/store.ts';
import { parseJson } from '#runtime/json.ts';
import { decodeEntry, encodeExport } from '#workspace/log/export-format.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
import { waitUntil } from '../../wait-until.ts';
import type { StoreLocation } from '../store-location.ts';
import { importEntries } from '../writes.ts';
import { KnownRecords } from './known-records.ts';
import { RandomOperations, type Operation } from './random-operations.ts';
import {
  drawProbes,
  lookUpAnswers,
  lookUpOrigins,
  readAnswers,
  readLocalAnswers,
  type Answers,
  type Probes,
} from './store-answers.ts';
import { StoreByHand } from './store-by-hand.ts';
import { Writer } from './writer.ts';

/** Operations that are submitted at once: they share a batch of the engine. */
const MAX_BURST = 8;

export interface DifferentialOptions {
  readonly seed: number;
  readonly operations: number;
  /** Number of times at which everything is compared, the end included. */
  readonly checkpoints: number;
  readonly newLocation: () => StoreLocation;
}

/**
 * Makes random calls and imports in two processes of one store, and compares all that can be read of both, of
 * the store reopened, and of a store that imported its export, with what follows from the calls by hand.
 * @returns what the callers got
 * @throws AssertionError that names the seed and the first question with another answer
 */
export async function runDifferential(options: DifferentialOptions): Promise<object[]> {
  try {
    return await run(options);
  } catch (error) {
    throw new Error(`with seed ${options.seed}: ${String(error)}`, { cause: error });
  }
}

async function run({ seed, operations, checkpoints, newLocation }: DifferentialOptions): Promise<object[]> {
  const location = newLocation();
  const { clock } = location;
  const [random, known] = [new SeededRandom(seed), new KnownRecords()];
  const calls = new RandomOperations(random, clock, known);
  const byHand = new StoreByHand(clock);
  const stores = [await location.open(), await location.open()];
  const writers = stores.map((store) => new Writer(comparedWith(byHand, store)));
  const changes = stores.map(changesOf);
  const outcomes: object[] = [];
  for (let checkpoint = 1; checkpoint <= checkpoints; checkpoint++) {
    while (outcomes.length < (operations * checkpoint) / checkpoints) {
      const burst =
        random.below(8) === 0
          ? calls.merge()
          : Array.from({ length: 1 + random.below(MAX_BURST) }, () => calls.next());
      outcomes.push(...(await apply(burst, writers[random.below(2)]!, calls)));
      for (const { read } of stores) assert.deepEqual(await read.steps(), await byHand.read.steps());
      calls.moveClock();
    }
    calls.catchUpClock();
    const probes = drawProbes(known, random);
    const expected = await answersOf(byHand as unknown as Store, probes);
    const reopened = await location.open();
    for (const store of [...stores, reopened])
      expectEqual(`a store at checkpoint ${checkpoint}`, await answersOf(store, probes), expected);
    await reopened.close();
  }
  const copy = await newLocation().open();
  const lines = await linesOf(stores[0]!);
  await importEntries(
    copy,
    lines.slice(1, -1).map((line) => decodeEntry(parseJson(line), clock.now())),
  );
  const probes = drawProbes(known, random);
  // An export has no origins and no freeze, and does not keep the order in which equal timestamps arrived.
  expectEqual(
    'the export imported',
    { ...(await readAnswers(copy, probes)), ...(await lookUpAnswers(copy, probes)) },
    {
      ...(await readAnswers(byHand as unknown as Store, probes)),
      ...(await lookUpAnswers(byHand as unknown as Store, probes)),
    },
  );
  assert.deepEqual(await linesOf(copy), lines, 'the store that imported the export exports other lines');
  for (const seen of changes) await expectChanges(seen, byHand.changes);
  return outcomes;
}

/** Makes calls at once. @returns what their callers got */
async function apply(
  burst: readonly Operation[],
  writer: Writer,
  operations: RandomOperations,
): Promise<object[]> {
  const outcomes = await Promise.all(burst.map(({ run: start }) => outcomeOf(start(writer))));
  for (const outcome of outcomes) operations.note(outcome);
  return burst.map(({ id, description }, n) => {
    const isModerated = burst.some((other, later) => later > n && id !== undefined && other.id === id);
    return { description, outcome: isModerated ? withoutWork(outcomes[n]) : outcomes[n] };
  });
}

/** Without the lineage of records, on which no write is decided; in its batch, an erased record has its time. */
const toDecidedOn = (facts: object): unknown =>
  JSON.parse(
    JSON.stringify(facts, (name, fact: unknown) => {
      if (name === 'isTaken' || name === 'grandparentId' || (name === 'named' && Array.isArray(fact)))
        return undefined;
      return fact instanceof Map ? [...fact] : fact;
    }),
  );

/** @returns the store, of which each write is decided by hand too, on facts that have to be equal */
function comparedWith(byHand: StoreByHand, store: Store): Store {
  const write: Store['write'] = (lookups, decide) => {
    let before: number | undefined;
    return store.write(lookups, (facts) => {
      // Of a batch that ends before it, a write is decided once more.
      if (before !== undefined) byHand.length = Math.min(before, byHand.length);
      before = byHand.length;
      assert.deepEqual(toDecidedOn(facts), toDecidedOn(byHand.facts(lookups)));
      const decision = decide(facts);
      if (decision.operation !== undefined) byHand.apply(decision.operation);
      return decision;
    });
  };
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const member = name === 'write' ? write : target[name];
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
}

const answersOf = async (store: Store, probes: Probes): Promise<Answers> => ({
  ...(await readAnswers(store, probes)),
  ...(await readLocalAnswers(store)),
  ...(await lookUpAnswers(store, probes)),
  ...(await lookUpOrigins(store)),
});

function changesOf(store: Store): Change[] {
  const changes: Change[] = [];
  store.watch((change) => changes.push(change));
  return changes;
}

/**
 * A record that is erased before the other process reads its line never arrives there. That process then does
 * not know what the record replied to, and names no grandparent of its replies.
 */
async function expectChanges(seen: readonly Change[], all: readonly Change[]): Promise<void> {
  const erased = new Set(all.flatMap(({ action, id }) => (action === 'erase' ? id : [])));
  const left = (changes: readonly Change[]): Change[] => changes.filter(({ id }) => !erased.has(id));
  const expected = left(all);
  await waitUntil(() => left(seen).length >= expected.length);
  // A grandparent that the text names too comes after the root where it is known from the text alone.
  const inOrder = (change: Change): Change => ({ ...change, ancestors: change.ancestors.toSorted() });
  const known = expected.map((change, n) => {
    const [parent = '', grandparent = ''] = change.ancestors;
    if (!erased.has(parent) || left(seen)[n]?.ancestors.includes(grandparent) !== false) return change;
    return { ...change, ancestors: change.ancestors.filter((id) => id !== grandparent) };
  });
  assert.deepEqual(left(seen).map(inOrder), known.map(inOrder), 'a store notifies of other changes');
}

/**
 * What a receipt says of a message that a later call of the same burst hides or erases. A receipt is read after
 * the write, so the other call may come first, and then there is no WORK that is due, and no copy.
 */
function withoutWork(outcome: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null) return outcome;
  const { dueAt: _due, copyOf: _copy, warnings: _warnings, ...rest } = outcome as Record<string, unknown>;
  return rest;
}

/** @returns the result of a call, or what its error says. @throws AssertionError */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return { error: Object.entries(error as Error), message: String(error) };
  }
}

async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of encodeExport(store.read.history())) lines.push(line);
  return lines;
}

function expectEqual(name: string, actual: Answers, expected: Answers): void {
  for (const [question, answer] of Object.entries(expected))
    assert.deepEqual(actual[question], answer, `${name} has another answer: ${question}`);
}
