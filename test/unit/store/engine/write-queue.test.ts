import assert from 'node:assert/strict';
import test from 'node:test';
import type { Snapshot, StagedOperation, WriteTransaction, WriteEngine } from '#store/engine/write-engine.ts';
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
  laterPosts: () => [],
  exists: () => false,
};

/** An engine of small batches, whose first transaction may fail after its writes are decided. */
class ScriptedEngine implements WriteEngine {
  readonly maxBatchSize = 4;
  readonly timeoutMs = 1000;
  /** The number of staged operations of each transaction. */
  readonly transactions: number[] = [];
  readonly failures: StoreFailure[] = [];
  readonly #retry: 'batch' | 'none';
  #failure: StoreFailure | undefined;

  constructor(failure?: StoreFailure, retry: 'batch' | 'none' = 'none') {
    this.#failure = failure;
    this.#retry = retry;
  }

  async transact(runDecisions: (transaction: WriteTransaction) => void): Promise<number> {
    const staged: StagedOperation[] = [];
    runDecisions({ snapshot: STORED, stage: (operation) => staged.push(operation) && 1 });
    this.transactions.push(staged.length);
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    return staged.length;
  }

  retryOf(): 'batch' | 'none' {
    return this.#retry;
  }

  onFailure(failure: StoreFailure): void {
    this.failures.push(failure);
  }
}

const unknown = new StoreFailure('unknown', 'a test');
const refusal = new Error('refused');

/** A write that freezes: it always has an operation. */
const write = (queue: WriteQueue): Promise<string> =>
  queue.write({}, ({ timestamp: at }) => ({ result: 'stored', operation: { action: 'freeze', at } }));

const look = (queue: WriteQueue): Promise<boolean> => queue.write({}, ({ frozen }) => ({ result: frozen }));

const refuse = (queue: WriteQueue): Promise<never> =>
  queue.write({}, () => {
    throw refusal;
  });

test('a transaction decides at most as many writes as the engine allows', async () => {
  const engine = new ScriptedEngine();
  const queue = new WriteQueue(engine);
  await Promise.all(Array.from({ length: 9 }, () => write(queue)));
  assert.deepEqual(engine.transactions, [4, 4, 1]);
});

for (const retry of ['batch', 'none'] as const)
  test(`if the outcome is unknown only writes with an operation are, and writes that saw none are settled, retry ${retry}`, async () => {
    const engine = new ScriptedEngine(unknown, retry);
    const queue = new WriteQueue(engine);
    const [before, refused, stored, after] = await Promise.allSettled([
      look(queue),
      refuse(queue),
      write(queue),
      look(queue),
    ]);
    assert.deepEqual(before, { status: 'fulfilled', value: false });
    const rejections = [refusal, unknown].map((reason) => ({ status: 'rejected', reason }));
    assert.deepEqual([refused, stored], rejections);
    assert.ok(after.status === 'rejected' && after.reason instanceof StoreFailure);
    assert.equal(after.reason.stored, 'nothing');
    assert.deepEqual(engine.failures, [unknown]);
  });
