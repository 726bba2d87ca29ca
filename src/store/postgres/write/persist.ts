import type { Overlay } from '#store/engine/overlay.ts';
import { isFreezeOperation, type AddOperation, type Moderation } from '#store/engine/operation.ts';
import { kindOf, parentIdOf, type AnyRecord, type Timestamp } from '#store/records.ts';
import { latest } from '#store/engine/timestamp.ts';
import type { Change } from '#store/store.ts';
import { lineOf, type Notice } from '#store/postgres/notify/payload.ts';
import type { Questions } from './query-batcher.ts';
import { Tally } from './counters.ts';
import type { Clock, Transaction } from '#store/postgres/connection/transaction.ts';

const ADD = `insert into entry (id, kind, created_at, parent_id, prefix, body)
  select id, kind, at, parent, prefix, body
  from json_to_recordset($1::json) as given(id text, kind text, at text, parent text, prefix text, body json)`;

const VISIT = 'insert into visit select * from json_populate_recordset(null::visit, $1::json)';

const MODERATE = 'insert into moderation (at, action, id, reason) values ($1, $2, $3, $4)';

const FLIP = 'update entry set hidden = $2 where id = $1 and hidden <> $2 returning id';

const FORGET = 'delete from entry where id = $1';

// An IDEA is answered by WORK and a RESULT by a REVIEW, whatever else takes them up.
const GAIN = `update entry set children = entry.children + gain.children,
    answered = entry.answered + case entry.prefix when 'IDEA' then gain.work when 'RESULT' then gain.review else 0 end
  from json_to_recordset($1::json) as gain(id text, children integer, work integer, review integer)
  where entry.id = gain.id`;

// One statement for what almost every write needs: each one more costs it a tenth.
const CLOSE = `with added as (${ADD}), visited as (${VISIT.replace('$1', '$2')})
  update clock set last = $3, revision = revision + $4, frozen = coalesce($5, frozen), turned = coalesce($6, turned), totals = $7
  returning (select count(pg_notify($8, line)) from unnest($9::text[]) as line)`;

/** Puts what a batch of works decided into the database, and tells of it. As a rule it waits for no answer. */
export class Keeping {
  readonly #transaction: Transaction;
  readonly #questions: Questions;
  readonly #clock: Clock;
  readonly #decided: Overlay;
  readonly #tally: Tally;
  readonly #notices: Notice[] = [];
  #additions: AddOperation[] = [];
  #turned: Timestamp | null = null;

  constructor(transaction: Transaction, questions: Questions, clock: Clock, decided: Overlay) {
    this.#transaction = transaction;
    this.#questions = questions;
    this.#clock = clock;
    this.#decided = decided;
    this.#tally = new Tally(clock.totals);
  }

  /**
   * What fails shows at the commit.
   * @param channel on which the changes are told
   * @returns what is told there
   */
  async run(channel: string): Promise<readonly Notice[]> {
    const { operations, frozen, lastTimestamp } = this.#decided;
    for (const operation of operations) {
      if (operation.action === 'add') await this.#add(operation);
      else if (isFreezeOperation(operation)) this.#turned = operation.at;
      else await this.#moderate(operation);
    }
    const lines = this.#notices.map(lineOf);
    this.#send(
      'close',
      CLOSE,
      ...this.#gathered(),
      latest(this.#clock.last, lastTimestamp),
      Math.sign(lines.length),
      frozen ?? null,
      this.#turned,
      JSON.stringify(this.#tally.totals),
      channel,
      lines,
    );
    this.#gain();
    return this.#notices;
  }

  async #add(addition: AddOperation): Promise<void> {
    this.#additions.push(addition);
    this.#tally.count(addition.record, 1);
    await this.#notice('add', addition.record.id, addition.record.createdAt, addition.record);
  }

  async #moderate({ action, id, at, reason }: Moderation): Promise<void> {
    this.#settle();
    this.#send('moderate', MODERATE, at, action, id, reason);
    const record = await this.#recordOf(id);
    await this.#notice(action, id, at, record);
    if (record === undefined) return;
    const flipped = await this.#transaction.ask(FLIP, [id, action !== 'unhide'], 'flip');
    if (flipped.length > 0) this.#tally.count(record, action === 'unhide' ? 1 : -1);
    if (action === 'erase') this.#send('forget', FORGET, id);
  }

  async #notice(
    action: Change['action'],
    id: string,
    at: Timestamp,
    record: AnyRecord | undefined,
  ): Promise<void> {
    const parent = record && parentIdOf(record);
    const ancestors: (string | null)[] = [];
    if (record !== undefined && typeof parent === 'string') {
      const grown = await this.#recordOf(parent);
      ancestors.push(
        parent,
        grown === undefined ? null : parentIdOf(grown),
        'rootId' in record ? record.rootId : null,
      );
    }
    const change = {
      action,
      kind: kindOf(id),
      id,
      ancestors: [...new Set(ancestors.filter((one) => one !== null))],
    };
    this.#notices.push({ revision: this.#clock.revision + 1, at, change });
  }

  async #recordOf(id: string): Promise<AnyRecord | undefined> {
    return this.#decided.addedRecords.get(id) ?? (await this.#questions.find(id))?.record;
  }

  /** Sends what has gathered, so that what comes next finds it. */
  #settle(): void {
    if (this.#additions.length > 0) {
      const [entries, visits] = this.#gathered();
      this.#send('add', ADD, entries);
      this.#send('visit', VISIT, visits);
    }
    this.#gain();
  }

  #gathered(): [entries: string, visits: string] {
    const additions = this.#additions;
    this.#additions = [];
    return [
      JSON.stringify(additions.map(rowOf)),
      JSON.stringify(additions.flatMap(({ visit }) => visit ?? [])),
    ];
  }

  #gain(): void {
    const gains = this.#tally.taken();
    if (gains.length > 0) this.#send('gain', GAIN, JSON.stringify(gains));
  }

  #send(name: string, text: string, ...values: unknown[]): void {
    this.#transaction.ask(text, values, name).catch(() => undefined);
  }
}

function rowOf({ kind, record }: AddOperation): unknown {
  const prefix = 'prefix' in record ? record.prefix : null;
  return { id: record.id, kind, at: record.createdAt, parent: parentIdOf(record), prefix, body: record };
}
