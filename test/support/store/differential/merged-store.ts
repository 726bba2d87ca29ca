import type { ExportedRecord, Kind, ModerationEntry, Timestamp } from '#store/port/records.ts';
import { decodeEntry } from '#workspace/log/export-format.ts';
import type { SeededRandom } from '../../../torture/support/random.ts';
import type { TestClock } from '../../clock.ts';
import { KINDS, MARKS, NAMES, REASONS, type KnownRecords } from './known-records.ts';

type Entry = ExportedRecord | ModerationEntry;

const DAY_MS = 24 * 3_600_000;

/** Less than the minute that an import accepts. */
const MAX_AHEAD_MS = 50_000;

/** Entries of another store, of which some come with a later import than their order in time says. */
export class MergedStore {
  readonly #random: SeededRandom;
  readonly #clock: TestClock;
  readonly #known: KnownRecords;
  /** Entries for later imports, and again. */
  readonly #heldBack: Entry[] = [];
  /** What the latest moderation is about. */
  #moderated = { id: 'post_0', at: '2026-01-01T00:00:00.000000Z' };

  constructor(random: SeededRandom, clock: TestClock, known: KnownRecords) {
    this.#random = random;
    this.#clock = clock;
    this.#known = known;
  }

  /** @returns entries in the order of an export or in any other */
  nextEntries(count: number): Entry[] {
    const entries: Entry[] = [];
    for (const entry of this.#heldBack.splice(0))
      (this.#below(2) === 0 ? entries : this.#heldBack).push(entry);
    const fresh = Array.from({ length: count }, () => this.#newEntry());
    for (const entry of fresh) {
      const isErase = 'action' in entry && entry.action === 'erase';
      const fate = isErase ? 0 : this.#below(10);
      if (fate < 7) entries.push(entry);
      if (fate >= 6) this.#heldBack.push(entry);
    }
    return this.#below(2) === 0 ? entries.sort(inOrderOfExport) : this.#shuffled(entries);
  }

  #below(bound: number): number {
    return this.#random.below(bound);
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)]!;
  }

  #newEntry(): Entry {
    const line = this.#below(3) === 0 ? { moderation: this.#moderation() } : this.#record();
    // What an import derives from a text is derived here too. A clock that went back may make it refuse.
    return decodeEntry(line, Infinity);
  }

  /**
   * One in four is about the same record at the same time as the one before. No erase comes after another of
   * the record: of two erases of an unknown record the first to arrive has the mark, and an import has another
   * order.
   */
  #moderation(): ModerationEntry {
    const isNew = this.#below(4) > 0;
    const id = isNew ? this.#anyId() : this.#moderated.id;
    const at = isNew ? this.#timestamp() : this.#moderated.at;
    this.#moderated = { id, at };
    const drawn = this.#one(['hide', 'hide', 'unhide', 'unhide', 'erase'] as const);
    const action = drawn === 'erase' && this.#known.erased.has(id) ? 'hide' : drawn;
    if (action === 'erase') this.#known.erased.add(id);
    const mark = action === 'erase' && id.startsWith('post_') ? this.#one(MARKS) : undefined;
    return { action, id, at, reason: this.#one(REASONS), ...(mark && { mark }) };
  }

  /** One in three is that of a record that has been held back. */
  #anyId(): string {
    const late = this.#heldBack.flatMap((entry) => ('record' in entry ? entry.record.id : []));
    return late.length > 0 && this.#below(3) === 0
      ? this.#one(late)
      : this.#known.pickAny((bound) => this.#below(bound));
  }

  #record(): object {
    const kind = (['post', 'post', 'post', ...KINDS] as const)[this.#below(7)]!;
    const below = (bound: number): number => this.#below(bound);
    const parent = kind === 'note' || this.#below(2) === 0;
    const parentId = parent ? this.#known.pick(kind === 'note' ? 'project' : 'post', below) : null;
    const id = this.#known.newId(kind);
    const text = (['', 'IDEA: ', 'WORK: ', 'RESULT: ', 'REVIEW: '] as const)[this.#below(5)]!;
    const named = this.#known.pick('post', below);
    const createdAt = this.#timestamp();
    const rootId = parentId === null ? id : (this.#known.roots.get(parentId) ?? parentId);
    this.#known.roots.set(id, rootId);
    const [name, mark] = [this.#one(NAMES), this.#one(MARKS)];
    const sameKeyAs = mark && this.#below(3) === 0 ? [named] : undefined;
    const signed = { ...(name && { name }), ...(mark && { mark }), ...(sameKeyAs && { sameKeyAs }) };
    const records: Record<Kind, object> = {
      post: { id, message: `${text}see ${named}`, parentId, rootId, createdAt, ...signed },
      guest: { id, name: 'n', kind: null, note: 'n', createdAt },
      project: { id, title: 't', summary: 's', by: 'b', url: null, looking_for: null, createdAt },
      note: { id, projectId: parentId, name: 'n', note: 'n', createdAt },
    };
    return { [kind]: records[kind] };
  }

  /** Of one in three entries a timestamp that another entry of this or the other store has. */
  #timestamp(): Timestamp {
    const { timestamps } = this.#known;
    if (timestamps.length > 0 && this.#below(3) === 0) {
      const from = Math.max(0, timestamps.length - 20);
      return timestamps[from + this.#below(timestamps.length - from)]!;
    }
    const isNear = this.#below(2) === 0;
    const ms = this.#clock.now() + MAX_AHEAD_MS - this.#below(isNear ? 2 * MAX_AHEAD_MS : 3 * DAY_MS);
    const micros = String(this.#below(1000)).padStart(3, '0');
    const timestamp = new Date(ms).toISOString().replace('Z', `${micros}Z`);
    timestamps.push(timestamp);
    return timestamp;
  }

  #shuffled(entries: Entry[]): Entry[] {
    for (let n = entries.length - 1; n > 0; n--) {
      const other = this.#below(n + 1);
      [entries[n], entries[other]] = [entries[other]!, entries[n]!];
    }
    return entries;
  }
}

function inOrderOfExport(a: Entry, b: Entry): number {
  const keyOf = (entry: Entry): string =>
    'action' in entry ? `1 ${entry.at} ${entry.id}` : `0 ${entry.record.createdAt} ${entry.record.id}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
