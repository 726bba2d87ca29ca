import assert from 'node:assert/strict';
import test from 'node:test';
import type { Snapshot, StagedOperation, Transaction, WriteEngine } from '#store/engine/write-engine.ts';
import { WriteQueue } from '#store/engine/write-queue.ts';
import { StoreFailure } from '#store/port/store.ts';

const STORED: Snapshot = {
  now: 0,
  lastTimestamp: null,
  frozen: false,
  record: () => undefined,
  awaited: () => undefined,
  recentWriteTimes: () => [],
  earlierWrite: () => undefined,
  laterSteps: () => [],
  exists: () => false,
};

/** What becomes of one transaction: so many operations are durable, or it fails before or after deciding. */
type Outcome = number | { failure: StoreFailure; when: 'before' | 'after' };

interface Options {
  readonly outcomes?: readonly Outcome[];
  readonly retry?: 'batch' | 'alone' | 'none';
  readonly maxBatchSize?: number;
  readonly timeoutMs?: number;
}

/** An engine whose transactions end as `outcomes` say, and after these succeed. */
class ScriptedEngine implements WriteEngine {
  readonly maxBatchSize: number;
  readonly timeoutMs: number;
  /** The number of staged operations of each transaction. */
  readonly transactions: number[] = [];
  readonly failures: StoreFailure[] = [];
  readonly #outcomes: Outcome[];
  readonly #retry: 'batch' | 'alone' | 'none';

  constructor({ outcomes = [], retry = 'none', maxBatchSize = 100, timeoutMs = 1000 }: Options) {
    this.#outcomes = [...outcomes];
    this.#retry = retry;
    this.maxBatchSize = maxBatchSize;
    this.timeoutMs = timeoutMs;
  }

  async transact(_: unknown, decide: (transaction: Transaction) => void): Promise<number> {
    const outcome = this.#outcomes.shift() ?? Infinity;
    if (typeof outcome === 'object' && outcome.when === 'before') throw outcome.failure;
    const staged: StagedOperation[] = [];
    decide({ snapshot: STORED, stage: (operation) => staged.push(operation) && 1 });
    this.transactions.push(staged.length);
    if (typeof outcome === 'object') throw outcome.failure;
    return Math.min(outcome, staged.length);
  }

  retryOf(): 'batch' | 'alone' | 'none' {
    return this.#retry;
  }

  onFailure(failure: StoreFailure): void {
    this.failures.push(failure);
  }
}

const nothing = new StoreFailure('nothing', 'a test');
const unknown = new StoreFailure('unknown', 'a test');
const refusal = new Error('refused');

/** A write that freezes or thaws: it always has an operation. */
const write = (queue: WriteQueue): Promise<boolean> =>
  queue.write({}, ({ frozen, timestamp: at }) => ({
    answer: frozen,
    operation: { action: frozen ? 'thaw' : 'freeze', at },
  }));

const look = (queue: WriteQueue): Promise<boolean> => queue.write({}, ({ frozen }) => ({ answer: frozen }));

const refuse = (queue: WriteQueue): Promise<never> =>
  queue.write({}, () => {
    throw refusal;
  });

/** @returns the answers; of a rejected write the reason */
const outcomesOf = async (writes: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(writes)).map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as unknown),
  );

test('writes that are submitted in one go share a transaction, and each sees those before it', async () => {
  const engine = new ScriptedEngine({});
  const queue = new WriteQueue(engine);
  assert.deepEqual(await outcomesOf([look(queue), write(queue), look(queue), write(queue)]), [
    false,
    false,
    true,
    true,
  ]);
  assert.deepEqual(engine.transactions, [2]);
});

test('a transaction decides at most as many writes as the engine allows', async () => {
  const engine = new ScriptedEngine({ maxBatchSize: 2 });
  const queue = new WriteQueue(engine);
  await Promise.all(Array.from({ length: 5 }, () => write(queue)));
  assert.deepEqual(engine.transactions, [2, 2, 1]);
});

test('if only the first operations are durable, the writes that saw more are decided again', async () => {
  const engine = new ScriptedEngine({ outcomes: [1] });
  const queue = new WriteQueue(engine);
  const answers = await outcomesOf([write(queue), look(queue), write(queue), refuse(queue)]);
  // The second transaction starts from the snapshot of the test again, which is not frozen.
  assert.deepEqual(answers, [false, true, false, refusal]);
  assert.deepEqual(engine.transactions, [2, 1]);
});

test('if the outcome is unknown only writes with an operation are, and writes that saw none are settled', async () => {
  for (const retry of ['batch', 'none'] as const) {
    const engine = new ScriptedEngine({ outcomes: [{ failure: unknown, when: 'after' }], retry });
    const queue = new WriteQueue(engine);
    const [before, refused, stored, after] = await outcomesOf([
      look(queue),
      refuse(queue),
      write(queue),
      look(queue),
    ]);
    assert.deepEqual([before, refused, stored], [false, refusal, unknown]);
    assert.ok(after instanceof StoreFailure && after.stored === 'nothing');
    assert.deepEqual(engine.failures, [unknown]);
  }
});

test('a transaction that fails before any write is decided rejects all its writes', async () => {
  const engine = new ScriptedEngine({ outcomes: [{ failure: nothing, when: 'before' }] });
  const queue = new WriteQueue(engine);
  assert.deepEqual(await outcomesOf([look(queue), write(queue)]), [nothing, nothing]);
  assert.equal(await look(queue), false);
});

test('a transaction that stored nothing is repeated as a whole until a write is too late', async () => {
  const failing = { failure: nothing, when: 'after' } as const;
  const engine = new ScriptedEngine({ outcomes: [failing, failing], retry: 'batch' });
  const queue = new WriteQueue(engine);
  assert.deepEqual(await outcomesOf([write(queue), look(queue)]), [false, true]);
  assert.deepEqual([engine.transactions, engine.failures], [[1, 1, 1], []]);

  const late = new ScriptedEngine({ outcomes: [failing], retry: 'batch', timeoutMs: 50 });
  assert.deepEqual(await outcomesOf([write(new WriteQueue(late))]), [nothing]);
  assert.deepEqual(late.failures, [nothing]);
});

test('after a batch was refused each of its writes has a transaction of its own, and only the refused one fails', async () => {
  const failing = { failure: nothing, when: 'after' } as const;
  const engine = new ScriptedEngine({ outcomes: [failing, 1, failing, 1], retry: 'alone' });
  const queue = new WriteQueue(engine);
  assert.deepEqual(await outcomesOf([write(queue), write(queue), write(queue)]), [false, nothing, false]);
  assert.deepEqual(engine.transactions, [3, 1, 1, 1]);
});
