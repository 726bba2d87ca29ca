import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importEntries } from '#commands/import-entries.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Change, Store } from '#store/port/store.ts';
import { parseJson } from '#runtime/json.ts';
import { decodeEntry, encodeExport } from '#workspace/log/export-format.ts';
import { SeededRandom } from '../../../torture/support/random.ts';
import { testClock, type TestClock } from '../../clock.ts';
import { KnownRecords } from './known-records.ts';
import { RandomOperations, type Operation } from './random-operations.ts';
import {
  lookUpAnswers,
  lookUpOrigins,
  readAnswers,
  readLocalAnswers,
  type Answers,
  type Probes,
} from './store-answers.ts';
import { Writer } from './writer.ts';

const START = '2026-11-21T10:49:32.123Z';

/** Operations that are submitted at once: they share a batch of the engine. */
const MAX_BURST = 8;

/** Of the known ids and timestamps, the numbers that stores are asked about one by one. */
const PARENTS = 30;
const BOUNDS = 10;

export interface DifferentialOptions {
  readonly seed: number;
  readonly operations: number;
  /** Number of times at which everything is compared, the end included. */
  readonly checkpoints: number;
  /** Opens the PostgreSQL engine on a new schema. */
  readonly openPostgres: (clock: TestClock) => Promise<Store>;
}

/**
 * Makes the same random calls on both engines, and compares all that can be read of the folder store, of a
 * second process on its folder, of the folder reopened, of a store that imported its export, and of the
 * PostgreSQL store.
 * @throws AssertionError that names the seed and the first question with different answers
 */
export async function runDifferential(options: DifferentialOptions): Promise<void> {
  const { seed } = options;
  const root = await mkdtemp(join(tmpdir(), 'porchlight-'));
  const run = new DifferentialRun(options, root);
  try {
    await run.run();
  } catch (error) {
    throw new Error(`with seed ${seed}: ${error instanceof Error ? error.message : ''}`, { cause: error });
  } finally {
    await run.close();
    await rm(root, { recursive: true, force: true });
  }
}

class DifferentialRun {
  readonly #options: DifferentialOptions;
  readonly #root: string;
  readonly #random: SeededRandom;
  readonly #clock = testClock(START);
  readonly #known = new KnownRecords();
  readonly #operations: RandomOperations;
  readonly #open = new Set<Store>();

  constructor(options: DifferentialOptions, root: string) {
    this.#options = options;
    this.#root = root;
    this.#random = new SeededRandom(options.seed);
    this.#operations = new RandomOperations(this.#random, this.#clock, this.#known);
  }

  async run(): Promise<void> {
    const { operations, checkpoints, openPostgres } = this.#options;
    const live = new Writer('folder', await this.#openFolder('live'));
    const follower = await this.#openFolder('live');
    const postgres = new Writer('PostgreSQL', await this.#opened(openPostgres(this.#clock)));
    const changes = [live.store, postgres.store, follower].map(changesOf);
    let done = 0;
    for (let checkpoint = 1; checkpoint <= checkpoints; checkpoint++) {
      const end = Math.round((operations * checkpoint) / checkpoints);
      while (done < end) {
        const burst = this.#nextBurst();
        await this.#apply(burst, [live, postgres]);
        done += burst.length;
        this.#operations.moveClock();
      }
      this.#operations.catchUpClock();
      await this.#compare(live.store, postgres.store, follower, checkpoint);
    }
    const probes = this.#probes();
    const expected = { ...(await lookUpAnswers(live.store, probes)), ...(await lookUpOrigins(live.store)) };
    expectEqual(
      'the second process',
      { ...(await lookUpAnswers(follower, probes)), ...(await lookUpOrigins(follower)) },
      expected,
    );
    const [ofLive, ofPostgres, ofFollower] = changes;
    assert.deepEqual(ofPostgres, ofLive, 'PostgreSQL notifies of other changes');
    const seen = withoutErased(ofFollower);
    assert.deepEqual(
      seen.map((change) => inOrder(change)),
      withoutErased(ofLive).map((change, n) => inOrder(withoutUnknown(change, seen[n], erasedIn(ofLive)))),
      'the second process is notified of other changes',
    );
  }

  async close(): Promise<void> {
    for (const store of this.#open) await this.#close(store);
  }

  #nextBurst(): Operation[] {
    if (this.#random.below(60) === 0) return this.#operations.merge();
    return Array.from({ length: 1 + this.#random.below(MAX_BURST) }, () => this.#operations.next());
  }

  async #apply(burst: readonly Operation[], writers: readonly Writer[]): Promise<void> {
    const [expected, ...others] = await Promise.all(
      writers.map((writer) => Promise.all(burst.map(({ run }) => outcomeOf(run(writer))))),
    );
    for (const outcomes of others)
      for (const [n, { id, description }] of burst.entries()) {
        const isModerated = burst.some((other, later) => later > n && id !== undefined && other.id === id);
        const [actual, wanted] = [outcomes[n], expected![n]].map((outcome) =>
          isModerated ? withoutWork(outcome) : outcome,
        );
        assert.deepEqual(actual, wanted, `the engines disagree on: ${description}`);
      }
    for (const outcome of expected!) this.#operations.note(outcome);
  }

  async #compare(live: Store, postgres: Store, follower: Store, checkpoint: number): Promise<void> {
    const probes = this.#probes();
    const carried = { ...(await readAnswers(live, probes)), ...(await lookUpAnswers(live, probes)) };
    const local = await readLocalAnswers(live);
    const whole = { ...carried, ...local, ...(await lookUpOrigins(live)) };
    const wholeOf = async (store: Store): Promise<Answers> => ({
      ...(await readAnswers(store, probes)),
      ...(await lookUpAnswers(store, probes)),
      ...(await readLocalAnswers(store)),
      ...(await lookUpOrigins(store)),
    });
    expectEqual('PostgreSQL', await wholeOf(postgres), whole);
    // Until the end it makes no write of its own.
    expectEqual(
      'the second process',
      { ...(await readAnswers(follower, probes)), ...(await readLocalAnswers(follower)) },
      { ...(await readAnswers(live, probes)), ...local },
    );
    const reopened = await this.#openFolder('live');
    expectEqual('the folder reopened', await wholeOf(reopened), whole);
    await this.#close(reopened);

    const lines = await linesOf(live);
    assert.deepEqual(await linesOf(postgres), lines, 'PostgreSQL exports other lines');
    const imported = await this.#openFolder(`import-${checkpoint}`);
    const now = this.#clock.now();
    await importEntries(
      imported,
      lines.slice(1, -1).map((line) => decodeEntry(parseJson(line), now)),
    );
    // An export has no origins and no freeze, and does not keep the order in which equal timestamps arrived.
    expectEqual(
      'the export imported',
      { ...(await readAnswers(imported, probes)), ...(await lookUpAnswers(imported, probes)) },
      carried,
    );
    const exported = await linesOf(imported);
    assert.deepEqual(exported, lines, 'the store that imported the export exports other lines');
    await this.#close(imported);
  }

  #probes(): Probes {
    const { ids, all, timestamps } = this.#known;
    const draw = <Item>(items: readonly Item[]): Item => items[this.#random.below(items.length)]!;
    return {
      ids,
      all,
      timestamps,
      parents: Array.from({ length: PARENTS }, (_, n) => draw(n % 3 === 0 ? ids.project : ids.post)),
      bounds: Array.from({ length: BOUNDS }, () => {
        const [after, before] = [draw(timestamps), draw(timestamps)].sort();
        return [after!, before!];
      }),
    };
  }

  #openFolder(name: string): Promise<Store> {
    return this.#opened(
      openFolderStore({
        folder: join(this.#root, name),
        clock: this.#clock,
        report: () => undefined,
      }),
    );
  }

  async #opened(opening: Promise<Store>): Promise<Store> {
    const store = await opening;
    this.#open.add(store);
    return store;
  }

  async #close(store: Store): Promise<void> {
    this.#open.delete(store);
    await store.close();
  }
}

function changesOf(store: Store): Change[] {
  const changes: Change[] = [];
  store.watch((change) => changes.push(change));
  return changes;
}

function erasedIn(changes: readonly Change[] = []): ReadonlySet<string> {
  return new Set(changes.flatMap(({ action, id }) => (action === 'erase' ? id : [])));
}

/** A text that is erased before the second process reads its line never arrives there. */
function withoutErased(changes: readonly Change[] = []): Change[] {
  const erased = erasedIn(changes);
  return changes.filter(({ id }) => !erased.has(id));
}

/**
 * If a post is erased before the second process reads its line, that process does not know what the post
 * replied to, and names no grandparent of its replies.
 * @param seen the same change, as the second process was notified of it
 */
function withoutUnknown(change: Change, seen: Change | undefined, erased: ReadonlySet<string>): Change {
  const [parent = '', grandparent] = change.ancestors;
  if (!erased.has(parent) || seen?.ancestors.includes(grandparent ?? '') !== false) return change;
  return { ...change, ancestors: change.ancestors.filter((id) => id !== grandparent) };
}

/** A grandparent that the text names too comes after the root where it is known from the text alone. */
function inOrder(change: Change): Change {
  return { ...change, ancestors: change.ancestors.toSorted() };
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

/** @returns the result of a call, or what its error says */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
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
