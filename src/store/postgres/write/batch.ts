import { WriteTransaction } from '#store/engine/write-transaction.ts';
import { Overlay } from '#store/engine/overlay.ts';
import type { Writer } from '#store/store.ts';
import { EarlyWriter } from './prefetching-writer.ts';
import { Keeping } from './persist.ts';
import type { Notice } from '#store/postgres/notify/payload.ts';
import { Questions } from './query-batcher.ts';
import { SqlDurable } from './committed-state.ts';
import type { Clock, Transaction } from '#store/postgres/connection/transaction.ts';

interface Job {
  readonly work: (writer: Writer) => Promise<unknown>;
}

type Result = { readonly value: unknown } | { readonly refusal: unknown };

/** How a job ended on its draft. */
export interface Decided<J> {
  readonly job: J;
  /** How many of the works up to it, itself included, are to be kept. */
  readonly sees: number;
  readonly keeps: boolean;
  readonly result: Result;
}

/** Works that are decided one after another in one transaction, each on what those before it decided. */
export class Batch {
  readonly accepted = new Overlay();
  readonly #transaction: Transaction;
  readonly #questions: Questions;
  readonly #now: number | undefined;

  /** @param now wall-clock time, where it is not the database's that counts */
  constructor(transaction: Transaction, now: number | undefined) {
    this.#transaction = transaction;
    this.#now = now;
    this.#questions = new Questions(transaction, now);
  }

  /** All works start at once, for their first questions to travel together; each is answered when it is its turn. */
  async decide<J extends Job>(jobs: readonly J[]): Promise<Decided<J>[]> {
    let turn: Promise<unknown> = Promise.resolve();
    let sees = 0;
    const decided = jobs.map((job) => {
      const before = turn;
      const draft = this.#transaction.clock.then(async (clock) => {
        await before;
        return new WriteTransaction(
          new SqlDurable(this.#questions, clock),
          this.accepted,
          this.#now ?? clock.now,
        );
      });
      const outcome = start(job, new EarlyWriter(this.#questions, draft)).then(
        async (result): Promise<Decided<J>> => {
          const { ownChanges } = await draft;
          const keeps = 'value' in result && ownChanges.operations.length > 0;
          if (keeps) {
            this.accepted.merge(ownChanges);
            sees += 1;
          }
          return { job, result, sees, keeps };
        },
      );
      turn = outcome.catch(() => undefined);
      return outcome;
    });
    return Promise.all(decided);
  }

  /** Sends what was decided on its way into the database. @returns what is told of it there */
  async keep(clock: Clock, channel: string): Promise<readonly Notice[]> {
    return new Keeping(this.#transaction, this.#questions, clock, this.accepted).run(channel);
  }
}

async function start({ work }: Job, writer: Writer): Promise<Result> {
  try {
    return { value: await work(writer) };
  } catch (refusal) {
    return { refusal };
  }
}
