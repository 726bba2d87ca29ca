import type { Change, Revision, Store } from '#store/port/store.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/** What wakes a waiting call: any new post, one with a prefix, or one that refers to a post. */
export type Topic = 'feed' | `prefix ${string}` | `post_${string}`;

/** Posts that arrive within this time are announced together. */
const COALESCE_MS = 10;

/** How often the revision is compared, in case a notification of the store was lost. */
const COMPARE_MS = 10_000;

/** Beyond this number of new posts, prefixes are not looked up, and every wanted prefix is announced. */
const MAX_LOOKUPS = 50;

const PREFIX_TOPICS = [...PREFIXES, 'none'].map((prefix): Topic => `prefix ${prefix}`);

export interface WatchedStore extends Pick<Store, 'watch' | 'revision'> {
  readonly read: Pick<Store['read'], 'find'>;
}

export class PostWatch {
  readonly #store: WatchedStore;
  readonly #isWanted: (topic: Topic) => boolean;
  readonly #announce: (topics?: readonly Topic[]) => void;
  readonly #unwatch: () => void;
  readonly #comparing: NodeJS.Timeout;
  /** The revision at the last comparison. The first one announces every topic: changes may have been missed. */
  #revision: Revision;
  #flushing: NodeJS.Timeout | undefined;
  #changes: Change[] = [];

  /**
   * @param isWanted whether a call waits for a topic; prefixes of new posts are looked up for such topics
   * @param announce gets no topics to announce every topic, because a change may have been missed
   */
  constructor(
    store: WatchedStore,
    isWanted: (topic: Topic) => boolean,
    announce: (topics?: readonly Topic[]) => void,
  ) {
    this.#store = store;
    this.#isWanted = isWanted;
    this.#announce = announce;
    this.#unwatch = store.watch((change) => {
      if (change.action !== 'add' || change.kind !== 'post') return;
      this.#changes.push(change);
      this.#flushing ??= setTimeout(() => {
        this.#flush();
      }, COALESCE_MS);
    });
    this.#comparing = setInterval(() => void this.#compareRevision(), COMPARE_MS);
  }

  end(): void {
    this.#unwatch();
    clearInterval(this.#comparing);
    clearTimeout(this.#flushing);
  }

  /** Announces every topic if the revision has changed or cannot be read; never rejects. */
  async #compareRevision(): Promise<void> {
    const last = this.#revision;
    try {
      this.#revision = await this.#store.revision();
    } catch {
      this.#revision = undefined;
    }
    if (this.#revision === undefined || this.#revision !== last) this.#announce();
  }

  #flush(): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#flushing = undefined;
    const targets = changes.flatMap(({ ancestors }) => ancestors as Topic[]);
    this.#announce([...new Set<Topic>(['feed', ...targets])]);
    void this.#announcePrefixes(changes);
  }

  /**
   * Reads the prefixes of the posts, which changes do not contain, and announces those that a call waits for.
   * If a prefix cannot be read, it announces all of them; it never rejects.
   */
  async #announcePrefixes(changes: readonly Change[]): Promise<void> {
    const wanted = PREFIX_TOPICS.filter(this.#isWanted);
    if (wanted.length === 0) return;
    const prefixes = changes.length > MAX_LOOKUPS ? undefined : await this.#readPrefixTopics(changes);
    this.#announce(wanted.filter((topic) => prefixes?.has(topic) !== false));
  }

  async #readPrefixTopics(changes: readonly Change[]): Promise<ReadonlySet<string> | undefined> {
    try {
      const posts = await Promise.all(changes.map(({ id }) => this.#store.read.find('post', id)));
      return new Set(posts.map((post) => `prefix ${post?.record.prefix ?? 'none'}`));
    } catch {
      return undefined;
    }
  }
}
