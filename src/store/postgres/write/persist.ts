import {
  ancestorsOf,
  isFreezeOperation,
  timestampOf,
  type AddOperation,
  type Operation,
  isHiddenAfter,
  textBytes,
} from '#store/engine/operation.ts';
import { latest } from '#store/engine/timestamp.ts';
import type { StagedOperation } from '#store/engine/write-engine.ts';
import { kindOf, parentIdOf, type Timestamp } from '#store/port/records.ts';
import { refersTo } from '#message/references.ts';
import { readStepFacts } from '#message/step.ts';
import type { RecordState } from '#store/port/lookups.ts';
import type { Totals } from '#store/port/store.ts';
import { encodeNotification, type ChangeNotification } from '#store/postgres/notify/changes.ts';
import { wordsColumn } from '#store/postgres/schema/words-column.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';
import type { ClientTags, WriteHistoryRow } from '#store/postgres/schema/client-tags.ts';
import type { ClockRow } from './snapshot.ts';

// One statement for what almost every write needs, since each further one makes a write 10 % slower.
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

const SET_HIDDEN = `with given as materialized (
    select * from json_to_recordset($1::json) as given(id text, hidden boolean)
  ), named as (
    update mention set hidden = given.hidden from given where mention.id = given.id
  )
  update entry set hidden = given.hidden from given where entry.id = given.id`;

// `erased_arrival` keeps the number of the record: a reader of the log may have that line as its cursor.
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

const ADD_COUNTS = `update entry set children = entry.children + delta.children
  from json_to_recordset($1::json) as delta(id text, children integer) where entry.id = delta.id`;

const HASH_BYTES = 16;

/** An added record, with its column of words, which takes more bytes than a long text. */
interface Addition {
  readonly operation: AddOperation;
  readonly arrival: number;
  readonly words: readonly number[] | null;
}

/** What remains in the database of the last operation of a batch. */
export interface BatchTrace {
  /** Of the record that it adds or moderates; null of a freeze. */
  readonly id: string | null;
  readonly arrival: number;
  /** The time of a freeze or its end; null of another operation. */
  readonly frozenAt: Timestamp | null;
}

/** Collects the operations of a batch, and sends them to the database in one to five statements. */
export class BatchPersister {
  readonly operations: Operation[] = [];
  readonly notices: ChangeNotification[] = [];
  readonly #head: ClockRow;
  readonly #counters: CounterDeltas;
  readonly #additions = new Map<string, Addition>();
  /** By id of an added record, the number of its children in the database. */
  readonly #children = new Map<string, number>();
  readonly #writes: WriteHistoryRow[] = [];
  readonly #moderations: (Operation & { readonly arrival: number })[] = [];
  readonly #hidden = new Map<string, boolean>();
  readonly #erased = new Set<string>();
  /** When the last added post of each thread was published, by root. */
  readonly #lastAdded = new Map<string, Timestamp>();
  readonly #moderatedThreads = new Set<string>();

  readonly #tags: ClientTags;

  constructor(head: ClockRow, tags: ClientTags) {
    this.#head = head;
    this.#tags = tags;
    this.#counters = new CounterDeltas(head.totals);
  }

  get trace(): BatchTrace {
    const arrival = this.#head.arrived + this.operations.length;
    const last = this.operations.at(-1);
    if (last === undefined || isFreezeOperation(last))
      return { id: null, arrival, frozenAt: last?.at ?? null };
    return { id: last.action === 'add' ? last.record.id : last.id, arrival, frozenAt: null };
  }

  get hasErased(): boolean {
    return this.#erased.size > 0;
  }

  stage({ operation, record }: StagedOperation): number {
    const arrival = this.#head.arrived + this.operations.push(operation);
    if (isFreezeOperation(operation)) return 0;
    const { action } = operation;
    const id = action === 'add' ? operation.record.id : operation.id;
    const change = {
      action,
      kind: kindOf(id),
      id,
      ancestors: record === undefined ? [] : ancestorsOf(record),
    };
    this.notices.push({ revision: this.#head.revision + 1, at: timestampOf(operation), change });
    if (action === 'add') {
      const words = operation.kind === 'post' ? wordsColumn(operation.record) : null;
      this.#additions.set(id, { operation, arrival, words });
      if (operation.writeEntry !== undefined) this.#writes.push(this.#tags.toRow(operation.writeEntry));
      if (record !== undefined) this.#countAdded(operation, record);
      return textBytes(operation.record) + HASH_BYTES * (words?.length ?? 0);
    }
    this.#moderations.push({ ...operation, arrival });
    if (action === 'erase') this.#erased.add(id);
    if (typeof record?.rootId === 'string') this.#moderatedThreads.add(record.rootId);
    if (record !== undefined) this.#setHidden(id, record, isHiddenAfter(record, operation));
    return 0;
  }

  /** Sends all statements without waiting for the results. If one fails, the transaction is rolled back. */
  send(transaction: Transaction, channel: string): void {
    const send = (name: string, text: string, ...values: unknown[]): void => {
      transaction.query(text, values, name).catch(() => undefined);
    };
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
      JSON.stringify(this.#counters.totals),
      channel,
      this.notices.map(encodeNotification),
      Number(this.#rearranges),
      JSON.stringify(this.#threadRows()),
      this.#head.arrived + this.operations.length,
    );
    if (this.#moderations.length > 0)
      send('add-moderations', ADD_MODERATIONS, JSON.stringify(this.#moderations));
    const hidden = [...this.#hidden].filter(([id]) => !this.#additions.has(id));
    if (hidden.length > 0)
      send(
        'set-hidden',
        SET_HIDDEN,
        JSON.stringify(hidden.map(([id, isHidden]) => ({ id, hidden: isHidden }))),
      );
    if (this.hasErased) send('delete-records', DELETE_RECORDS, [...this.#erased]);
    // After the changes of the posts.
    if (this.#moderatedThreads.size > 0)
      send('refresh-threads', REFRESH_THREADS, [...this.#moderatedThreads]);
    const counts = Array.from(this.#counters.children, ([id, children]) => ({ id, children }));
    if (counts.length > 0) send('add-counts', ADD_COUNTS, JSON.stringify(counts));
  }

  #countAdded({ record: { id, createdAt } }: AddOperation, record: RecordState): void {
    this.#children.set(id, record.children - (this.#counters.children.get(id) ?? 0));
    if (record.status !== 'visible') {
      this.#hidden.set(id, true);
      return;
    }
    this.#counters.count(record, 1);
    const { rootId } = record;
    if (rootId !== null && createdAt > (this.#lastAdded.get(rootId) ?? ''))
      this.#lastAdded.set(rootId, createdAt);
  }

  #threadRows(): unknown[] {
    const { replies } = this.#counters;
    // A first post that arrived hidden has no row yet, and `REFRESH_THREADS` needs one.
    const roots = new Set([...replies.keys(), ...this.#lastAdded.keys(), ...this.#moderatedThreads]);
    return [...roots].map((root) => ({
      root,
      replies: replies.get(root) ?? 0,
      lastAt: this.#lastAdded.get(root) ?? null,
    }));
  }

  #setHidden(id: string, record: RecordState, isHidden: boolean): void {
    if ((record.status === 'hidden') === isHidden) return;
    this.#hidden.set(id, isHidden);
    this.#counters.count(record, isHidden ? -1 : 1);
  }

  /** Whether the batch does more than add records that are later than all others. */
  get #rearranges(): boolean {
    const { last } = this.#head;
    return (
      this.#moderations.length > 0 ||
      [...this.#additions.values()].some(
        ({ operation }) => last !== null && operation.record.createdAt <= last,
      )
    );
  }

  /** A record that is added and erased in one batch never reaches the database. */
  #addedRows(): unknown[] {
    const added = [...this.#additions.values()].filter(
      ({ operation }) => !this.#erased.has(operation.record.id),
    );
    return added.map(({ operation: { kind, record }, arrival, words }) => ({
      id: record.id,
      kind,
      at: record.createdAt,
      parent: parentIdOf(record),
      prefix: 'prefix' in record ? record.prefix : null,
      hidden: this.#hidden.get(record.id) ?? false,
      children: this.#children.get(record.id) ?? 0,
      words,
      body: record,
      step: 'message' in record ? readStepFacts(record) : null,
      names: 'message' in record ? refersTo(record).filter((id) => id !== record.parentId) : [],
      arrival,
    }));
  }
}

/** Sums how the counts of other records and the totals change when records become visible or hidden. */
class CounterDeltas {
  readonly totals: { -readonly [Name in keyof Totals]: Totals[Name] };
  /** By id, by how much the children of a record change. */
  readonly children = new Map<string, number>();
  /** By root, by how much the replies of a thread change. */
  readonly replies = new Map<string, number>();

  /** @param totals before the change */
  constructor(totals: Totals) {
    this.totals = { ...totals };
  }

  /** @param sign 1 for a record that becomes visible, -1 for one that is hidden */
  count({ kind, parentId, rootId, prefix }: RecordState, sign: 1 | -1): void {
    if (parentId !== null) add(this.children, parentId, sign);
    if (kind === 'project') this.totals.projects += sign;
    if (kind === 'guest') this.totals.guests += sign;
    if (kind !== 'post') return;
    this.totals.posts += sign;
    if (parentId === null) this.totals.threads += sign;
    else if (rootId !== null) add(this.replies, rootId, sign);
    const { byPrefix } = this.totals;
    this.totals.byPrefix = { ...byPrefix, [prefix ?? 'none']: (byPrefix[prefix ?? 'none'] ?? 0) + sign };
  }
}

function add(counts: Map<string, number>, id: string, sign: 1 | -1): void {
  counts.set(id, (counts.get(id) ?? 0) + sign);
}
