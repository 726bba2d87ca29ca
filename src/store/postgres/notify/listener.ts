import pg from 'pg';
import type { Change } from '#store/store.ts';
import { openLine, type Line, type Place } from '#store/postgres/connection/connect.ts';
import { STATEMENT_MS } from '#store/postgres/connection/timeouts.ts';
import { missedSince, type Point } from './catch-up.ts';
import { noticeOf, type Notice } from './payload.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/** How often a connection that says nothing is asked whether it is still there. */
const ASK_MS = 15_000;

interface Hearing {
  readonly place: Place;
  readonly channel: string;
  readonly tell: (change: Change) => void;
}

/** Hears of every change by LISTEN. Where the connection was lost, it tells afterwards what it missed. */
export class Bell {
  readonly #hearing: Hearing;
  /** How far it has told. */
  #point: Point;
  /** Up to this revision all was told, what still comes in of it too. */
  #settled: number;
  /** The last revision that was told without hearing of it. */
  #own = 0;
  #line: Line | undefined;
  #pause: NodeJS.Timeout | undefined;
  #closed = false;
  #running: Promise<void>;

  /** @param point from where on changes are told */
  constructor(hearing: Hearing, point: Point) {
    this.#hearing = hearing;
    this.#point = point;
    this.#settled = point.revision;
    this.#running = this.#listen(FIRST_PAUSE_MS);
  }

  /** Tells what was written here without waiting to hear of it, unless something before it has yet to be heard. */
  own(notices: readonly Notice[]): void {
    const [first] = notices;
    if (first?.revision !== this.#point.revision + 1) return;
    this.#settled = this.#own = first.revision;
    for (const notice of notices) this.#tell(notice);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#pause);
    this.#line?.cut();
    await this.#running;
  }

  async #listen(pause: number): Promise<void> {
    let next = pause;
    try {
      const { client } = (this.#line = await openLine(this.#hearing.place));
      const lost = new Promise((resolve) => {
        client.once('end', resolve);
      });
      if (this.#closed) this.#line.cut();
      await this.#follow(client);
      next = FIRST_PAUSE_MS;
      const asking = setInterval(() => {
        this.#ask();
      }, ASK_MS).unref();
      await lost;
      clearInterval(asking);
    } catch {
      this.#line?.cut();
    }
    this.#line = undefined;
    if (this.#closed) return;
    this.#pause = setTimeout(() => {
      this.#running = this.#listen(Math.min(next * 2, LONGEST_PAUSE_MS));
    }, next).unref();
  }

  async #follow(client: pg.Client): Promise<void> {
    const early: Notice[] = [];
    this.#own = 0;
    let hear = (notice: Notice): void => {
      early.push(notice);
    };
    client.on('notification', ({ payload }) => {
      const notice = noticeOf(payload ?? '');
      if (notice !== undefined) hear(notice);
    });
    await client.query(`listen ${pg.escapeIdentifier(this.#hearing.channel)}`);
    const { revision, notices } = await missedSince(client, this.#point.last);
    // What was written here meanwhile was told with all that is older.
    const told = this.#point.last ?? '';
    for (const notice of notices) if (notice.at > told) this.#tell(notice);
    // Lower than before where another server took over that had not heard of all.
    this.#settled = Math.max(this.#own, revision);
    this.#point = { ...this.#point, revision: this.#settled };
    hear = (notice) => {
      if (notice.revision > this.#settled) this.#tell(notice);
    };
    for (const notice of early) hear(notice);
  }

  #tell({ revision, at, change }: Notice): void {
    const { last } = this.#point;
    this.#point = {
      last: last === null || at > last ? at : last,
      revision: Math.max(this.#point.revision, revision),
    };
    this.#hearing.tell(change);
  }

  #ask(): void {
    const line = this.#line;
    line?.client.query({ text: 'select', query_timeout: STATEMENT_MS } as pg.QueryConfig).catch(() => {
      line.cut();
    });
  }
}
