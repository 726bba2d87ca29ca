import {
  ancestorsOf,
  idOf,
  isFreezeOperation,
  timestampOf,
  type AddOperation,
  type Operation,
  moderated,
  textBytes,
} from '#store/engine/operation.ts';
import { latest } from '#store/engine/timestamp.ts';
import type { StagedOperation } from '#store/engine/write-engine.ts';
import { kindOf, parentIdOf, type Timestamp } from '#store/port/records.ts';
import { refersTo } from '#message/references.ts';
import { parseStepFacts } from '#message/step.ts';
import type { RecordState } from '#store/port/lookups.ts';
import type { Totals } from '#store/port/store.ts';
import { encodeNotification, type ChangeNotification } from '#store/postgres/notify/changes.ts';
import { wordsColumn } from '#store/postgres/schema/words-column.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';
import type { ClientTags, WriteHistoryRow } from '#store/postgres/schema/client-tags.ts';
import type { ClockRow } from './snapshot.ts';

// One statement for the changes of almost every write, since each additional one makes a write 10 % slower.
const COMMIT_BATCH = `with given as materialized (
    select * from json_to_recordset($1::json) as given(id text, kind text, at text, parent text, prefix text,
      hidden boolean, children integer, words bigint[], body json, names json, step json,
      arrival bigint)
  ), added as (
    insert into entry (id, kind, created_at, parent_id, prefix, hidden, children, words, body, step, arrival)
    select id, kind, at, parent, prefix, hidden, children, words, body, step, arrival from given
  ), named as (
    insert into mention (id, target, created_at, hidden)
    select id, target, at, hidden from given, json_array_elements_text(names) as target
  ), threaded as (
    insert into thread (root_id, replies, last_at)
    select root, replies, "lastAt"
    from json_to_recordset($11::json) as given(root text, replies integer, "lastAt" text)
    on conflict (root_id) do update
      set replies = thread.replies + excluded.replies, last_at = greatest(thread.last_at, excluded.last_at)
  ), visited as (
    insert into write_history select * from json_populate_recordset(null::write_history, $2::json)
  )
  update clock set last = $3, revision = revision + $4, rearranged = rearranged + $10, arrived = $12,
    frozen = coalesce($5, frozen), freeze_changed_at = coalesce($6, freeze_changed_at), totals = $7
  returning (select count(pg_notify($8, line)) from unnest($9::text[]) as line)`;

const ADD_MODERATIONS = `insert into moderation (at, action, id, reason, arrival, mark)
  select at, action, id, reason, arrival, mark from json_to_recordset($1::json)
    as given(at text, action text, id text, reason text, arrival bigint, mark text)`;

/** `hidden` is null for a record of which only the number of children changes. */
const CHANGE_RECORDS = `with given as materialized (
    select * from json_to_recordset($1::json) as given(id text, hidden boolean, children integer)
  ), named as (
    update mention set hidden = given.hidden from given
    where mention.id = given.id and given.hidden is not null
  )
  update entry set hidden = coalesce(given.hidden, entry.hidden), children = entry.children + given.children
  from given where entry.id = given.id`;

// `erased_arrival` keeps the number of the record, since the cursor of a reader of the log may have it.
const DELETE_RECORDS = `with named as (
    delete from mention where id = any($1)
  ), deleted as (
    delete from entry where id = any($1) returning id, arrival
  )
  update moderation set erased_arrival = deleted.arrival from deleted
  where moderation.id = deleted.id and moderation.action = 'erase'`;

const REFRESH_THREADS = `update thread set last_at = (
    select created_at from entry
    where entry.root_id = thread.root_id and entry.root_id is not null and not hidden
    order by created_at desc limit 1
  ) where root_id = any($1)`;

const HASH_BYTES = 16;

/** An added record, with its column `words`, which takes more bytes than a long text. */
interface Addition {
  readonly operation: AddOperation;
  readonly arrival: number;
  readonly words: readonly number[] | null;
  /** The number of its children before the batch, since children may arrive before it. */
  readonly children: number;
}

/** The changes of a batch in the row of a thread. */
interface ThreadChange {
  readonly root: string;
  /** By how much the number of its visible replies changes. */
  replies: number;
  /** When its last added post was published; null without one. */
  lastAt: Timestamp | null;
  isModerated: boolean;
}

/** What the database contains once the last operation of a batch is stored. */
export interface BatchTrace extends Pick<ClockRow, 'transactionId'> {
  /** The id of the record that it adds or moderates; null for a freeze. */
  readonly id: string | null;
  readonly arrival: number;
  /** The time of a freeze or its end; null for another operation. */
  readonly frozenAt: Timestamp | null;
}

/** Collects the operations of a batch, and sends them to the database in one to five statements. */
export class BatchPersister {
  readonly operations: Operation[] = [];
  readonly notices: ChangeNotification[] = [];
  readonly #head: ClockRow;
  readonly #tags: ClientTags;
  readonly #totals: { -readonly [Name in keyof Totals]: Totals[Name] };
  readonly #additions = new Map<string, Addition>();
  readonly #writes: WriteHistoryRow[] = [];
  readonly #moderations: (Operation & { readonly arrival: number })[] = [];
  readonly #hidden = new Map<string, boolean>();
  readonly #erased = new Set<string>();
  /** The change of the number of visible children, by id. */
  readonly #children = new Map<string, number>();
  readonly #threads = new Map<string, ThreadChange>();

  constructor(head: ClockRow, tags: ClientTags) {
    this.#head = head;
    this.#tags = tags;
    this.#totals = { ...head.totals };
  }

  get trace(): BatchTrace {
    const { transactionId, arrived } = this.#head;
    const batch = { transactionId, arrival: arrived + this.operations.length };
    const last = this.operations.at(-1);
    return last === undefined || isFreezeOperation(last)
      ? { ...batch, id: null, frozenAt: last?.at ?? null }
      : { ...batch, id: idOf(last), frozenAt: null };
  }

  get hasErased(): boolean {
    return this.#erased.size > 0;
  }

  stage({ operation, record }: StagedOperation): number {
    const arrival = this.#head.arrived + this.operations.push(operation);
    if (isFreezeOperation(operation)) return 0;
    const { action } = operation;
    const id = idOf(operation);
    const ancestors = record === undefined ? [] : ancestorsOf(record);
    const change = { action, kind: kindOf(id), id, ancestors };
    this.notices.push({ revision: this.#head.revision + 1, at: timestampOf(operation), change });
    if (action === 'add') {
      const words = operation.kind === 'post' ? wordsColumn(operation.record) : null;
      const children = (record?.children ?? 0) - (this.#children.get(id) ?? 0);
      this.#additions.set(id, { operation, arrival, words, children });
      if (operation.writeEntry !== undefined) this.#writes.push(this.#tags.toRow(operation.writeEntry));
      if (record?.status === 'hidden') this.#hidden.set(id, true);
      else if (record !== undefined) this.#count(record, 1, operation.record.createdAt);
      return textBytes(operation.record) + HASH_BYTES * (words?.length ?? 0);
    }
    this.#moderations.push({ ...operation, arrival });
    if (action === 'erase') this.#erased.add(id);
    if (record === undefined) return 0;
    // Also for a first post that arrived hidden: it has no row yet, and `REFRESH_THREADS` needs one.
    if (record.rootId !== null) this.#thread(record.rootId).isModerated = true;
    const { status } = moderated(record, operation);
    if (status !== record.status) {
      this.#hidden.set(id, status === 'hidden');
      this.#count(record, status === 'hidden' ? -1 : 1);
    }
    return 0;
  }

  /** Sends all statements without waiting for results. If one fails, the transaction is rolled back. */
  send(transaction: Transaction, channel: string): void {
    const send = (name: string, text: string, ...values: unknown[]): void => {
      transaction.query(text, values, name).catch(() => undefined);
    };
    const threads = [...this.#threads.values()];
    const freeze = this.operations.findLast(isFreezeOperation);
    const last = this.operations.map(timestampOf).reduce<Timestamp | null>(latest, this.#head.last);
    send(
      'commit-batch',
      COMMIT_BATCH,
      JSON.stringify(this.#addedRows()),
      JSON.stringify(this.#writes),
      last,
      Math.sign(this.notices.length),
      freeze === undefined ? null : freeze.action === 'freeze',
      freeze?.at ?? null,
      JSON.stringify(this.#totals),
      channel,
      this.notices.map(encodeNotification),
      Number(this.#rearranges),
      JSON.stringify(threads),
      this.#head.arrived + this.operations.length,
    );
    if (this.#moderations.length > 0)
      send('add-moderations', ADD_MODERATIONS, JSON.stringify(this.#moderations));
    const changed = new Set([...this.#hidden.keys(), ...this.#children.keys()]);
    const changes = Array.from(changed, (id) => ({
      id,
      hidden: this.#hidden.get(id) ?? null,
      children: this.#children.get(id) ?? 0,
    }));
    if (changes.length > 0) send('change-records', CHANGE_RECORDS, JSON.stringify(changes));
    if (this.hasErased) send('delete-records', DELETE_RECORDS, [...this.#erased]);
    // After the changes of the posts.
    const moderated = threads.filter(({ isModerated }) => isModerated).map(({ root }) => root);
    if (moderated.length > 0) send('refresh-threads', REFRESH_THREADS, moderated);
  }

  /**
   * @param sign 1 for a record that becomes visible, -1 for one that is hidden
   * @param addedAt when it was published, if the batch adds it
   */
  #count({ kind, parentId, rootId, prefix }: RecordState, sign: 1 | -1, addedAt?: Timestamp): void {
    if (parentId !== null) this.#children.set(parentId, (this.#children.get(parentId) ?? 0) + sign);
    if (kind === 'project') this.#totals.projects += sign;
    if (kind === 'guest') this.#totals.guests += sign;
    if (rootId === null) return;
    const thread = this.#thread(rootId);
    thread.lastAt = latest(thread.lastAt, addedAt ?? null);
    this.#totals.posts += sign;
    if (parentId === null) this.#totals.threads += sign;
    else thread.replies += sign;
    const { byPrefix } = this.#totals;
    this.#totals.byPrefix = { ...byPrefix, [prefix ?? 'none']: (byPrefix[prefix ?? 'none'] ?? 0) + sign };
  }

  #thread(root: string): ThreadChange {
    const thread = this.#threads.get(root) ?? { root, replies: 0, lastAt: null, isModerated: false };
    this.#threads.set(root, thread);
    return thread;
  }

  /** Whether the batch does more than add records that are later than all others. */
  get #rearranges(): boolean {
    const last = this.#head.last ?? '';
    const isEarlier = ({ operation }: Addition): boolean => operation.record.createdAt <= last;
    return this.#moderations.length > 0 || [...this.#additions.values()].some(isEarlier);
  }

  /** A record that is added and erased in one batch never reaches the database. */
  #addedRows(): unknown[] {
    const added = [...this.#additions].filter(([id]) => !this.#erased.has(id));
    return added.map(([id, { operation, arrival, words, children }]) => {
      const { kind, record } = operation;
      return {
        id,
        kind,
        at: record.createdAt,
        parent: parentIdOf(record),
        prefix: 'prefix' in record ? record.prefix : null,
        hidden: this.#hidden.get(id) ?? false,
        children,
        words,
        body: record,
        step: 'message' in record ? parseStepFacts(record) : null,
        names: 'message' in record ? refersTo(record).filter((named) => named !== record.parentId) : [],
        arrival,
      };
    });
  }
}
