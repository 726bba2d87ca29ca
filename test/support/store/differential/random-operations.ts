import { hashContent } from '#store/port/lookups.ts';
import type { Kind } from '#store/port/records.ts';
import { moderate, setFrozen } from '#workspace/moderation/operator-writes.ts';
import { importEntry } from '#workspace/log/import-entry.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { addNote, createProject, signGuestbook } from '#workspace/porch/porch.ts';
import type { SeededRandom } from '../../../torture/support/random.ts';
import type { TestClock } from '../../clock.ts';
import { REASONS, type KnownRecords } from './known-records.ts';
import { MergedStore } from './merged-store.ts';
import type { Writer } from './writer.ts';

/** One call, to be made on each engine. */
export interface Operation {
  /** For the message of a failed comparison. */
  readonly description: string;
  /** The record that it creates or moderates; undefined for none. */
  readonly id?: string;
  /** Starts the call. Operations that are started together are decided in that order. */
  readonly run: (writer: Writer) => Promise<unknown>;
}

interface Draws {
  readonly below: (bound: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

export const CLIENTS = ['192.0.2.1/32', '192.0.2.2/32', '2001:db8::/64'] as const;
export const KEYS = Array.from({ length: 12 }, (_, n) => `some-key-${n}`);

/** Few, so that contents are repeated. */
const TEXTS = Array.from({ length: 30 }, (_, n) => `lantern ${n}`);

const PREFIXES = ['', 'IDEA: ', 'WORK: ', 'RESULT: ', 'REVIEW: ', 'CHANGE: '];

/** What some calls publish, by kind, as in `WriteOrigin.content`. */
export const CONTENTS: Readonly<Record<Kind, readonly string[]>> = {
  post: PREFIXES.flatMap((prefix) => TEXTS.map((text) => contentOf({ message: `${prefix}${text}` }))),
  guest: TEXTS.map((note) => contentOf({ name: 'a guest', kind: null, note })),
  project: TEXTS.map((summary) =>
    contentOf({ title: 'a project', summary, by: 'a guest', url: null, looking_for: null }),
  ),
  note: [contentOf({ projectId: 'project_00000001', name: 'a guest', note: TEXTS[0] })],
};

function contentOf(input: object): string {
  return hashContent(JSON.stringify(input));
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Entries of one import. */
const MERGE_SIZE = 40;

/** Draws calls of clients and operators, and imports, from a seed. */
export class RandomOperations {
  readonly #random: SeededRandom;
  readonly #clock: TestClock;
  readonly #known: KnownRecords;
  readonly #mergedStore: MergedStore;
  /** Milliseconds since 1970. */
  #latest = 0;

  constructor(random: SeededRandom, clock: TestClock, known: KnownRecords) {
    this.#random = random;
    this.#clock = clock;
    this.#known = known;
    this.#mergedStore = new MergedStore(random, clock, known);
  }

  /** Moves the clock: mostly a little, now and then by hours, and sometimes back. */
  moveClock(): void {
    const { below } = this.#draws();
    const roll = below(100);
    if (roll < 25) return;
    const range = roll < 70 ? 5000 : roll < 90 ? 3 * MINUTE_MS : roll < 98 ? 40 * MINUTE_MS : 30 * HOUR_MS;
    this.#clock.advance(roll === 99 ? -below(5 * MINUTE_MS) : below(range));
    this.#latest = Math.max(this.#latest, this.#clock.now());
  }

  /** Moves the clock to the latest time that it had, for no timestamp to be ahead of it. */
  catchUpClock(): void {
    this.#clock.advance(Math.max(0, this.#latest - this.#clock.now()));
  }

  /** Takes in what a call returned, for later calls and questions. */
  note(outcome: unknown): void {
    const { id, rootId, createdAt } = outcome as { id?: string; rootId?: string; createdAt?: unknown };
    if (typeof createdAt === 'string') this.#known.timestamps.push(createdAt);
    if (id !== undefined && rootId !== undefined) this.#known.roots.set(id, rootId);
  }

  /** @returns the next call */
  next(): Operation {
    const roll = this.#random.below(100);
    if (roll < 32) return this.#post(false);
    if (roll < 60) return this.#post(true);
    if (roll < 67) return this.#guest();
    if (roll < 71) return this.#project();
    if (roll < 80) return this.#note();
    if (roll < 87) return this.#moderate('hide');
    if (roll < 93) return this.#moderate('unhide');
    if (roll < 95) return this.#moderate('erase');
    return this.#freeze(roll === 95 ? 'freeze' : 'thaw');
  }

  /** @returns imports of entries of another store, in the order in which they are submitted */
  merge(): Operation[] {
    return this.#mergedStore.nextEntries(MERGE_SIZE).map((entry) => ({
      description: `import ${JSON.stringify(entry)}`,
      run: ({ store }) => importEntry(store, entry),
    }));
  }

  #draws(): Draws {
    const below = (bound: number): number => this.#random.below(bound);
    return { below, pick: (items) => items[below(items.length)]! };
  }

  #call(
    kind: Kind,
    args: object,
    start: (writer: Writer, clientKey: string, key: string | undefined) => Promise<unknown>,
  ): Operation {
    const { below, pick } = this.#draws();
    const id = this.#known.newId(kind);
    const clientKey = pick(CLIENTS);
    const key = below(3) === 0 ? pick(KEYS) : undefined;
    return {
      id,
      description: `${kind} ${id} of ${clientKey} with ${key ?? 'no key'}: ${JSON.stringify(args)}`,
      run: (writer) => {
        writer.nextId = id;
        return start(writer, clientKey, key);
      },
    };
  }

  #post(isReply: boolean): Operation {
    const { below, pick } = this.#draws();
    const named = below(6) === 0 ? ` ${this.#known.pick('post', below)}` : '';
    const message = `${pick(PREFIXES)}${pick(TEXTS)}${named}`;
    const content = isReply ? { message, replyTo: this.#known.pick('post', below) } : { message };
    return this.#call('post', content, ({ workspace }, clientKey, idempotencyKey) =>
      publishPost(workspace, { ...content, idempotencyKey }, { clientKey }),
    );
  }

  #guest(): Operation {
    const content = { name: 'a guest', note: this.#draws().pick(TEXTS) };
    return this.#call('guest', content, ({ workspace }, clientKey, idempotencyKey) =>
      signGuestbook(workspace, { ...content, idempotencyKey }, { clientKey }),
    );
  }

  #project(): Operation {
    const content = { title: 'a project', summary: this.#draws().pick(TEXTS), by: 'a guest' };
    return this.#call('project', content, ({ workspace }, clientKey, idempotencyKey) =>
      createProject(workspace, { ...content, idempotencyKey }, { clientKey }),
    );
  }

  #note(): Operation {
    const { below, pick } = this.#draws();
    const content = { projectId: this.#known.pick('project', below), name: 'a guest', note: pick(TEXTS) };
    return this.#call('note', content, ({ workspace }, clientKey, idempotencyKey) =>
      addNote(workspace, { ...content, idempotencyKey }, { clientKey }),
    );
  }

  #moderate(action: 'hide' | 'unhide' | 'erase'): Operation {
    const { below, pick } = this.#draws();
    const id = this.#known.pickAny(below);
    const reason = pick(REASONS);
    if (action === 'erase') this.#known.erased.add(id);
    return {
      id,
      description: `${action} ${id}`,
      run: ({ store }) => moderate(store, action, id, reason),
    };
  }

  #freeze(action: 'freeze' | 'thaw'): Operation {
    return { description: action, run: ({ store }) => setFrozen(store, action) };
  }
}
