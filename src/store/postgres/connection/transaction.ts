import type { QueryResultRow } from 'pg';
import type { Connection } from './connect.ts';

const LOCK_CLOCK = 'select from clock for update';

/** A transaction that locks the row of `clock`. Its statements are pipelined, and results arrive in order. */
export class Transaction {
  readonly #connection: Connection;
  readonly #deadline: number;
  #failure: Error | undefined;
  #corked = false;

  /** @param deadline of every statement, on the scale of performance.now() */
  constructor(connection: Connection, deadline: number) {
    this.#connection = connection;
    this.#deadline = deadline;
    void this.query('begin');
    // A separate statement, so that the snapshot of the next one includes the commit of the previous holder.
    void this.query(LOCK_CLOCK, [], 'lock');
  }

  /** The first error of a statement. After it PostgreSQL stores nothing of the transaction. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** @param name of the prepared statement, whose plan the database caches */
  query<Row extends QueryResultRow>(text: string, values: unknown[] = [], name?: string): Promise<Row[]> {
    const result = this.#send<Row>(text, values, name, this.#deadline).then(({ rows }) => rows);
    result.catch((error: unknown) => {
      this.#failure ??= error as Error;
    });
    return result;
  }

  /** @returns whether it was committed @throws errors of the driver, if the outcome is unknown */
  async commit(deadline: number): Promise<boolean> {
    const { command } = await this.#send('commit', [], undefined, deadline);
    return command === 'COMMIT';
  }

  async rollBack(): Promise<void> {
    await this.query('rollback');
  }

  #send<Row extends QueryResultRow>(
    text: string,
    values: unknown[],
    name: string | undefined,
    deadline: number,
  ) {
    this.#corkForThisTurn();
    const left = Math.max(1, Math.ceil(deadline - performance.now()));
    const named = name === undefined ? {} : { name };
    const statement = { text, values, ...named, query_timeout: left };
    return this.#connection.client.query<Row>(statement);
  }

  /** Sends all statements of one turn of the event loop in one packet. */
  #corkForThisTurn(): void {
    if (this.#corked) return;
    this.#corked = true;
    this.#connection.socket.cork();
    setImmediate(() => {
      this.#corked = false;
      this.#connection.socket.uncork();
    });
  }
}
