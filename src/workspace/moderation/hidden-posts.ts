import type { ModerationEntry } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';

/** Number of the newest entries of the moderation log that are examined. */
const MAX_EXAMINED = 200;

/** Finds the hidden posts of a thread. An id and its thread never change, so each is read once. */
export class HiddenPosts {
  readonly #read: Pick<Reader, 'moderations' | 'records'>;
  /** The first post of the thread of a hidden post; null for another record. */
  readonly #rootOf = new Map<string, string | null>();

  constructor(read: Pick<Reader, 'moderations' | 'records'>) {
    this.#read = read;
  }

  /** @returns the reasons for which posts of the thread are hidden, one for each, the newest first */
  async reasonsIn(rootId: string): Promise<string[]> {
    const latest = new Map<string, ModerationEntry>();
    for (const entry of await this.#read.moderations(MAX_EXAMINED))
      if (!latest.has(entry.id)) latest.set(entry.id, entry);
    const hidden = [...latest.values()].filter(
      ({ id, action }) => action === 'hide' && id.startsWith('post_'),
    );
    // The thread is shown even if the hidden records cannot be read.
    await this.#readRoots(hidden.map(({ id }) => id)).catch(() => undefined);
    return hidden.filter(({ id }) => this.#rootOf.get(id) === rootId).map(({ reason }) => reason);
  }

  async #readRoots(ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#rootOf.has(id));
    if (unknown.length === 0) return;
    for (const id of this.#rootOf.keys()) if (!ids.includes(id)) this.#rootOf.delete(id);
    for (const { record } of await this.#read.records(unknown))
      this.#rootOf.set(record.id, 'rootId' in record ? record.rootId : null);
  }
}
