import type { QueryResultRow } from 'pg';
import type { Timestamp } from '#store/records.ts';
import type { Totals } from '#store/store.ts';
import type { Line } from './connect.ts';

/** The row that is held by who writes, as it is while it is held. */
export interface Clock {
  readonly last: Timestamp | null;
  readonly revision: number;
  readonly frozen: boolean;
  readonly totals: Totals;
  /** Wall-clock time of the database, milliseconds since 1970. */
  readonly now: number;
}

const LOCK = 'select from clock for update';

// In a statement of its own, which sees what the holder before us left.
const LOOK = `select last, revision::float8, frozen, totals,
  coalesce($1::float8, extract(epoch from clock_timestamp())::float8 * 1000) as now from clock`;

/** One transaction that holds the clock row, on a line: statements go out at once, and are answered in their order. */
export class Transaction {
  readonly clock: Promise<Clock>;
  readonly #line: Line;
  readonly #deadline: number;
  #failure: Error | undefined;
  #corked = false;

  /**
   * @param deadline when to give up, on the scale of performance.now()
   * @param now wall-clock time, where it is not the database's that counts
   */
  constructor(line: Line, deadline: number, now: number | undefined) {
    this.#line = line;
    this.#deadline = deadline;
    void this.ask('begin');
    void this.ask(LOCK, [], 'lock');
    this.clock = this.ask<Clock & QueryResultRow>(LOOK, [now ?? null], 'look').then(([clock]) => {
      if (clock === undefined) throw new Error('the clock is missing');
      return clock;
    });
    this.clock.catch(() => undefined);
  }

  /** The first thing that went wrong; after that nothing of this transaction is kept. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** @throws the first thing that went wrong */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** @param name under which the database keeps its plan */
  ask<Row extends QueryResultRow>(text: string, values: unknown[] = [], name?: string): Promise<Row[]> {
    const answer = this.#send<Row>(text, values, name, this.#deadline).then(({ rows }) => rows);
    answer.catch((error: unknown) => {
      this.#failure ??= error as Error;
    });
    return answer;
  }

  /**
   * Ends it with all that was asked before kept.
   * @param deadline when to give up waiting for the answer
   * @returns whether it was kept
   * @throws where nobody knows
   */
  async commit(deadline: number): Promise<boolean> {
    const { command } = await this.#send('commit', [], undefined, deadline);
    return command === 'COMMIT';
  }

  /** Ends it with nothing kept. */
  async rollBack(): Promise<void> {
    await this.ask('rollback');
  }

  #send<Row extends QueryResultRow>(
    text: string,
    values: unknown[],
    name: string | undefined,
    deadline: number,
  ) {
    this.#gather();
    const left = Math.max(1, Math.ceil(deadline - performance.now()));
    const named = name === undefined ? {} : { name };
    return this.#line.client.query<Row>({ text, values, ...named, query_timeout: left } as never);
  }

  /** Lets all that is asked in one go travel in one packet. */
  #gather(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#line.hold();
    setImmediate(() => {
      this.#corked = false;
      this.#line.flush();
    });
  }
}
