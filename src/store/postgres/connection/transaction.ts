import type { QueryResultRow } from 'pg';
import type { Line } from './connect.ts';

const LOCK = 'select from clock for update';

/**
 * One transaction that holds the lock of the clock row, on a connection of its own: statements are sent at once, and
 * answered in their order.
 */
export class Transaction {
  readonly #line: Line;
  readonly #deadline: number;
  #failure: Error | undefined;
  #corked = false;

  /** @param deadline when to give up, on the scale of performance.now() */
  constructor(line: Line, deadline: number) {
    this.#line = line;
    this.#deadline = deadline;
    void this.ask('begin');
    // What follows is a statement of its own, so that it sees what the holder of the lock before it committed.
    void this.ask(LOCK, [], 'lock');
  }

  /** The first failed statement; the database then rolls the transaction back. */
  get failure(): Error | undefined {
    return this.#failure;
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
   * @param deadline when to give up waiting for the response
   * @returns whether it was committed, not rolled back
   * @throws errors of the driver: the outcome is unknown
   */
  async commit(deadline: number): Promise<boolean> {
    const { command } = await this.#send('commit', [], undefined, deadline);
    return command === 'COMMIT';
  }

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

  /** Sends the statements of one tick of the event loop in one packet. */
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
