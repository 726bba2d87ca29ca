import pg from 'pg';
import type { Change } from '#store/port/store.ts';
import {
  openPipelinedConnection,
  type Connection,
  type DatabaseOptions,
} from '#store/postgres/connection/connect.ts';
import { reportTrouble } from '#store/postgres/connection/errors.ts';
import { type ChangeNotification, changesSince, decodeNotification, type ListenPosition } from './changes.ts';

const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 5000;

interface ListenerOptions {
  readonly database: DatabaseOptions;
  readonly onChange: (change: Change) => void;
  /** Logs a message for the operator when changes begin to arrive late, and when they no longer do. */
  readonly report: (what: string) => void;
}

/** Delivers every change once, by `LISTEN`. After a lost connection it reads the missed changes. */
export class ChangeListener {
  readonly #options: ListenerOptions;
  readonly #onOutcome: (error: unknown) => void;
  #position: ListenPosition;
  /** Notifications up to this revision are duplicates. Invariant: at most #position.revision. */
  #deliveredRevision: number;
  /** The last revision that `publishLocal` delivered since the connection was opened. */
  #localRevision = 0;
  #connection: Connection | undefined;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #isListening = false;
  #closed = false;
  #running: Promise<void>;

  constructor(options: ListenerOptions, position: ListenPosition) {
    this.#options = options;
    const late = 'changes by other servers arrive late';
    this.#onOutcome = reportTrouble(options.report, late, 'changes arrive at once again');
    this.#position = position;
    this.#deliveredRevision = position.revision;
    this.#running = this.#listen(MIN_RECONNECT_DELAY_MS);
  }

  /** Whether changes are delivered as they happen. False until a lost connection is replaced. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Delivers changes of this process before their notifications arrive, unless an earlier one is missing. */
  publishLocal(notifications: readonly ChangeNotification[]): void {
    const [first] = notifications;
    if (first?.revision !== this.#position.revision + 1) return;
    this.#deliveredRevision = this.#localRevision = first.revision;
    for (const notification of notifications) this.#deliver(notification);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnectTimer);
    this.#connection?.socket.destroy();
    await this.#running;
  }

  async #listen(reconnectDelay: number): Promise<void> {
    let delay = reconnectDelay;
    try {
      const { database } = this.#options;
      const { client, socket } = (this.#connection = await openPipelinedConnection(database));
      const lost = new Promise((resolve) => {
        client.once('end', resolve);
      });
      if (this.#closed) socket.destroy();
      await this.#subscribe(client);
      delay = MIN_RECONNECT_DELAY_MS;
      this.#isListening = true;
      this.#onOutcome(null);
      const pinging = setInterval(() => {
        client.query('select').catch(() => socket.destroy());
      }, database.timeouts.pingMs).unref();
      await lost;
      clearInterval(pinging);
    } catch (error) {
      this.#connection?.socket.destroy();
      if (!this.#closed) this.#onOutcome(error);
    }
    this.#isListening = false;
    this.#connection = undefined;
    if (this.#closed) return;
    this.#reconnectTimer = setTimeout(() => {
      this.#running = this.#listen(Math.min(delay * 2, MAX_RECONNECT_DELAY_MS));
    }, delay).unref();
  }

  /** Listens, delivers the changes since #position, then the notifications that arrived meanwhile. */
  async #subscribe(client: pg.Client): Promise<void> {
    const early: ChangeNotification[] = [];
    this.#localRevision = 0;
    let receive = (notification: ChangeNotification): void => {
      early.push(notification);
    };
    client.on('notification', ({ payload }) => {
      const notification = decodeNotification(payload ?? '');
      if (notification !== undefined) receive(notification);
    });
    await client.query(`listen ${pg.escapeIdentifier(this.#options.database.schema)}`);
    const { revision, notifications } = await changesSince(client, this.#position.last);
    // `publishLocal` has delivered the changes that this process committed meanwhile, and all before them.
    const delivered = this.#position.last ?? '';
    for (const notification of notifications) if (notification.at > delivered) this.#deliver(notification);
    // After a failover to a standby that lagged, the revision may be lower than before.
    this.#deliveredRevision = Math.max(this.#localRevision, revision);
    this.#position = { ...this.#position, revision: this.#deliveredRevision };
    receive = (notification) => {
      if (notification.revision > this.#deliveredRevision) this.#deliver(notification);
    };
    for (const notification of early) receive(notification);
  }

  #deliver({ revision, at, change }: ChangeNotification): void {
    const { last } = this.#position;
    this.#position = {
      last: last === null || at > last ? at : last,
      revision: Math.max(this.#position.revision, revision),
    };
    this.#options.onChange(change);
  }
}
