import { refersTo } from '#message/references.ts';
import { compareWords } from '#message/words.ts';
import { readStepFacts, toHeld, toSigner, type Step } from '#message/step.ts';
import { ancestorsOf, idOf, timestampOf, type Lineage } from '#store/engine/operation.ts';
import { nextTimestamp } from '#store/engine/timestamp.ts';
import type { ErasedRecord, Facts, Lookup, Lookups, RecordState, WriteOrigin } from '#store/port/lookups.ts';
import { widenNetwork } from '#store/port/network.ts';
import type {
  FeedFilter,
  LogLine,
  NewsFilter,
  NewsRange,
  NewsResult,
  PostHead,
  Related,
  ThreadHead,
  ThreadRange,
  TimeRange,
} from '#store/port/pages.ts';
import {
  HOLD_PREFIX,
  kindOf,
  parentIdOf,
  type AnyRecord,
  type CountedRecord,
  type ExportedRecord,
  type Kind,
  type ModerationEntry,
  type Post,
  type Timestamp,
} from '#store/port/records.ts';
import type { Change, Decision, Reader, WriteOperation } from '#store/port/store.ts';
import type { TestClock } from '../../clock.ts';

const MINUTE_MS = 60_000;

interface Write extends WriteOrigin {
  readonly kind: Kind;
  readonly id: string;
  readonly atMs: number;
}

interface Arrived {
  readonly operation: WriteOperation;
  readonly atMs: number;
  readonly change: Change | undefined;
}

/** What the operations so far make of the store. */
interface State {
  /** Those that are not erased, oldest first. */
  readonly records: readonly ExportedRecord[];
  readonly erased: ReadonlySet<string>;
  /** Oldest first; of one time, in the order of arrival. */
  readonly moderations: readonly ModerationEntry[];
  /** The hide or unhide that decides about each record. */
  readonly decisive: ReadonlyMap<string, ModerationEntry>;
}

/** A store as its port describes it, which looks at every operation for every answer. */
export class StoreByHand {
  /** In the order of arrival. */
  readonly #arrived: Arrived[] = [];
  readonly #clock: TestClock;
  #cached: State | undefined;

  constructor(clock: TestClock) {
    this.#clock = clock;
  }

  /** @returns what a write is decided on */
  facts(lookups: Lookups): object {
    const facts = Object.entries(lookups).map(([name, lookup]) => [name, lookup && this.#factOf(lookup)]);
    const now = this.#clock.now();
    const timestamp = nextTimestamp(this.#latest, now);
    return { ...(Object.fromEntries(facts) as object), now, timestamp, frozen: this.#isFrozen };
  }

  async write<Answer>(lookups: Lookups, decide: (facts: Facts) => Decision<Answer>): Promise<Answer> {
    const { answer, operation } = decide(this.facts(lookups) as Facts);
    if (operation !== undefined) this.apply(operation);
    return answer;
  }

  /** Applies the operation of a write, unless a record with its id exists or was erased. */
  apply(operation: WriteOperation): void {
    if (operation.action === 'add' && this.#stateOf(operation.record.id) !== undefined) return;
    const kept = operation.action === 'erase' ? this.#withMark(operation) : operation;
    this.#arrived.push({ operation: kept, atMs: this.#clock.now(), change: this.#changeOf(operation) });
    this.#cached = undefined;
  }

  /** What `Store.watch` notifies of. */
  get changes(): Change[] {
    return this.#arrived.flatMap(({ change }) => change ?? []);
  }

  #changeOf(operation: WriteOperation): Change | undefined {
    if (operation.action !== 'add' && !isModeration(operation)) return undefined;
    const id = idOf(operation);
    const record = operation.action === 'add' ? operation.record : this.#find(id);
    const ancestors = record === undefined ? [] : ancestorsOf(this.#lineageOf(record));
    return { action: operation.action, kind: kindOf(id), id, ancestors };
  }

  /** The number of its operations. If it is set to an earlier one, the later operations are undone. */
  get length(): number {
    return this.#arrived.length;
  }

  set length(length: number) {
    this.#arrived.length = length;
    this.#cached = undefined;
  }

  get #operations(): WriteOperation[] {
    return this.#arrived.map(({ operation }) => operation);
  }

  /** An erase keeps the mark of a first message; an imported one has a mark only for an unknown record. */
  #withMark(erase: ModerationEntry): ModerationEntry {
    const { mark: _mark, ...rest } = erase;
    const state = this.#stateOf(erase.id);
    if (state === undefined) return erase;
    const isOpener = state.status !== 'erased' && state.rootId === erase.id;
    return { ...rest, ...(isOpener && state.mark !== null && { mark: state.mark }) };
  }

  get #latest(): Timestamp | null {
    return this.#operations.map(timestampOf).sort().at(-1) ?? null;
  }

  get #isFrozen(): boolean {
    const last = this.#operations.findLast(({ action }) => action === 'freeze' || action === 'thaw');
    return last?.action === 'freeze';
  }

  get #state(): State {
    return (this.#cached ??= this.#readState());
  }

  #readState(): State {
    const moderations = this.#operations
      .filter((one) => isModeration(one))
      .sort((a, b) => compare(a.at, b.at));
    const erased = new Set(moderations.flatMap(({ action, id }) => (action === 'erase' ? id : [])));
    const records = this.#operations
      .flatMap((one): ExportedRecord[] =>
        one.action === 'add' && !erased.has(one.record.id) ? [{ kind: one.kind, record: one.record }] : [],
      )
      .sort((a, b) => compare(a.record.createdAt, b.record.createdAt) || compare(a.record.id, b.record.id));
    const decisive = new Map(moderations.flatMap((one) => (one.action === 'erase' ? [] : [[one.id, one]])));
    return { records, erased, moderations, decisive };
  }

  #isHidden({ id }: { readonly id: string }): boolean {
    return this.#state.decisive.get(id)?.action === 'hide';
  }

  #find(id: string): AnyRecord | undefined {
    return this.#state.records.find(({ record }) => record.id === id)?.record;
  }

  #isVisible(id: string): boolean {
    const record = this.#find(id);
    return record !== undefined && !this.#isHidden(record);
  }

  #visible<K extends Kind>(kind: K): CountedRecord<K>['record'][] {
    const shown = this.#state.records.filter((one) => one.kind === kind && !this.#isHidden(one.record));
    return shown.map(({ record }) => record as CountedRecord<K>['record']);
  }

  #counted<K extends Kind>(record: CountedRecord<K>['record']): CountedRecord<K> {
    return { record, children: this.#childrenOf(record.id) };
  }

  #childrenOf(id: string): number {
    return this.#state.records.filter(({ record }) => parentIdOf(record) === id && !this.#isHidden(record))
      .length;
  }

  #stateOf(id: string): RecordState | ErasedRecord | undefined {
    if (this.#state.erased.has(id)) return { status: 'erased' };
    const { kind, record } = this.#state.records.find((one) => one.record.id === id) ?? {};
    if (kind === undefined || record === undefined) return undefined;
    const post = kind === 'post' ? (record as Post) : undefined;
    return {
      status: this.#isHidden(record) ? 'hidden' : 'visible',
      kind,
      ...this.#lineageOf(record),
      prefix: post?.prefix ?? null,
      mark: signerOf(post),
      moderatedAt: this.#state.decisive.get(id)?.at ?? null,
      children: this.#childrenOf(id),
    };
  }

  #lineageOf(record: AnyRecord): Lineage {
    const parentId = parentIdOf(record);
    const parent = parentId === null ? undefined : this.#find(parentId);
    return {
      parentId,
      grandparentId: parent === undefined ? null : parentIdOf(parent),
      rootId: 'rootId' in record ? record.rootId : null,
      named: 'message' in record ? refersTo(record) : [],
    };
  }

  #factOf(lookup: Lookup): unknown {
    const { moderations, records } = this.#state;
    switch (lookup.type) {
      case 'record':
        return this.#stateOf(lookup.id);
      case 'records': {
        const states = lookup.ids.map((id) => [id, this.#stateOf(id)] as const);
        return new Map(states.filter(([, state]) => state !== undefined));
      }
      case 'recordTimestamp':
        return records.some(({ kind, record }) => kind === lookup.kind && record.createdAt === lookup.at);
      case 'moderation': {
        const { action, id, at } = lookup;
        return moderations.some((one) => one.action === action && one.id === id && one.at === at);
      }
      case 'recentWriteAges':
        return this.#ages(lookup.windowMs, lookup.limit, ({ clientKey, limitScope }) => {
          const { by } = lookup;
          if (by === null) return true;
          if ('widened' in by) return widenNetwork(clientKey) === by.widened;
          return by.clientKey === clientKey && by.limitScope === limitScope;
        });
      case 'idempotentHit':
      case 'recentDuplicate': {
        const { kind, origin, windowMs } = lookup;
        const same = lookup.type === 'idempotentHit' ? 'key' : 'content';
        const [write] = this.#writesOf(
          (one) => one.kind === kind && one.clientKey === origin.clientKey && one[same] === origin[same],
        );
        if (write === undefined || write[same] === null || write.atMs <= this.#clock.now() - windowMs)
          return undefined;
        if (lookup.type === 'recentDuplicate') return this.#isVisible(write.id) ? write.id : undefined;
        return {
          id: write.id,
          sameContent: write.content === origin.content,
          stored: this.#stored(write.id),
        };
      }
      case 'laterSteps':
        throw new Error('not by hand');
    }
  }

  /** @returns a record that can be shown again: a note has to have a visible project */
  #stored(id: string): CountedRecord | undefined {
    const record = this.#find(id);
    if (record === undefined || this.#isHidden(record)) return undefined;
    if ('projectId' in record && !this.#isVisible(record.projectId)) return undefined;
    return this.#counted(record);
  }

  /** @returns the latest first; of one time, the one that was stored last */
  #writesOf(matches: (write: Write) => boolean): Write[] {
    const writes = this.#arrived.flatMap(({ operation, atMs }): Write[] => {
      if (operation.action !== 'add' || operation.origin === undefined) return [];
      return [{ ...operation.origin, kind: operation.kind, id: operation.record.id, atMs }];
    });
    return writes
      .filter(matches)
      .reverse()
      .sort((a, b) => b.atMs - a.atMs);
  }

  #ages(windowMs: number, limit: number, matches: (write: Write) => boolean): number[] {
    const ages = this.#writesOf(matches).map(({ atMs }) => this.#clock.now() - atMs);
    return ages.filter((age) => age < windowMs && age > -MINUTE_MS).slice(0, limit);
  }

  #threads({ order, before, after, except = [], tail, limit }: ThreadRange): ThreadHead[] {
    const posts = this.#visible('post');
    const threads = [...new Set(posts.map(({ rootId }) => rootId))].flatMap((rootId): ThreadHead[] => {
      const thread = posts.filter((post) => post.rootId === rootId);
      const last = thread.findLast(({ id }) => !except.includes(id));
      if (last === undefined || !isWithin(last, { before, after })) return [];
      const news = thread.filter(({ id, createdAt }) => createdAt > (after ?? '') && !except.includes(id));
      return [
        {
          post: this.#counted<'post'>(thread.find(({ id }) => id === rootId) ?? thread[0]!),
          size: thread.length,
          lastAt: last.createdAt,
          lastId: last.id,
          ...(after !== undefined && {
            news: {
              count: news.length,
              byPrefix: countByPrefix(news),
              newestResult: news.findLast(({ prefix }) => prefix === 'RESULT')?.id ?? null,
            },
          }),
          ...(tail !== undefined && { tail: thread.slice(Math.max(0, thread.length - tail)).map(headOf) }),
        },
      ];
    });
    return inOrder(threads, order, ({ lastAt }) => lastAt).slice(0, limit);
  }

  #news(filter: NewsFilter, { after, limit }: NewsRange): NewsResult<Post> {
    const isFiltered = Object.values(filter).some((one) => one !== undefined);
    const later = this.#visible('post').filter((post) => isWithin(post, { after }));
    const found = later.filter((post) => isNews(post, filter));
    return {
      items: found.slice(0, limit),
      examinedTo: found.length > limit ? found[limit - 1]!.createdAt : null,
      latest: this.#latest,
      newer: isFiltered ? null : later.length,
      unknownPosts: (filter.posts ?? []).filter((id) => !this.#isVisible(id)),
    };
  }

  #steps(): Step[] {
    return this.#state.records.flatMap(({ kind, record }): Step[] => {
      if (kind !== 'post') return [];
      const post = record as Post;
      const facts = readStepFacts(post);
      const decisive = this.#state.decisive.get(post.id);
      const isHeld = decisive?.action === 'hide' && decisive.reason.startsWith(HOLD_PREFIX);
      if (facts === null || (this.#isHidden(post) && !isHeld)) return [];
      const { id, prefix, parentId, rootId, createdAt } = post;
      const opener = this.#markOf(rootId);
      const step = { id, prefix, parentId, rootId, createdAt, ...facts, ...(opener !== null && { opener }) };
      return [isHeld ? toHeld(step) : step];
    });
  }

  /** The mark of a first message; of an erased one, that which its erase has kept. */
  #markOf(rootId: string): string | null {
    const root = this.#find(rootId);
    if (root !== undefined) return signerOf(root as Post);
    const erases = this.#operations.filter((one) => one.action === 'erase' && one.id === rootId);
    const mark = erases.map((one) => ('mark' in one ? one.mark : undefined)).find((one) => one !== undefined);
    return mark === undefined ? null : toSigner(mark);
  }

  #log(): LogLine[] {
    return this.#operations.flatMap((one, index): LogLine[] => {
      const n = index + 1;
      if (one.action === 'add') {
        const added = this.#public(one.record.id);
        return added === undefined ? [] : [{ n, added }];
      }
      if (!isModeration(one)) return [];
      return [{ n, added: one.action === 'unhide' ? this.#public(one.id) : undefined, moderation: one }];
    });
  }

  /** @returns a visible record; the project of a note is neither hidden nor erased, and may be unknown */
  #public(id: string): ExportedRecord | undefined {
    const found = this.#state.records.find(({ record }) => record.id === id);
    if (found === undefined || !this.#isVisible(id)) return undefined;
    const { record } = found;
    const project = 'projectId' in record ? this.#stateOf(record.projectId) : undefined;
    return project === undefined || project.status === 'visible' ? found : undefined;
  }

  async *#history(): AsyncIterable<ExportedRecord | ModerationEntry> {
    yield* this.#state.records;
    yield* this.#state.moderations;
  }

  get read(): Reader {
    const posts = (): Post[] => this.#visible('post');
    const sizeOf = (rootId: string): number => posts().filter((post) => post.rootId === rootId).length;
    return {
      find: async <K extends Kind>(kind: K, id: string) => {
        const record = this.#visible(kind).find((one) => one.id === id);
        return record && this.#counted<K>(record);
      },
      page: async <K extends Kind>(
        kind: K,
        { within, thread, order, limit, ...range }: Parameters<Reader['page']>[1],
      ) => {
        const found = this.#visible(kind).filter(
          (record) =>
            isWithin(record, range) &&
            (within === undefined || (parentIdOf(record) === within && this.#find(within) !== undefined)) &&
            (thread === undefined || (record as Post).rootId === thread),
        );
        return inOrder(found, order, ({ createdAt }) => createdAt)
          .slice(0, limit)
          .map((record) => this.#counted<K>(record));
      },
      feed: async (filter, { before, limit }) => {
        const found = posts()
          .filter((post) => isWithin(post, { before }) && isMatch(post, filter))
          .reverse();
        const items = found.slice(0, limit).map((post) => this.#counted<'post'>(post));
        return { items, examinedTo: found.length > limit ? items.at(-1)!.record.createdAt : null };
      },
      news: async (filter, range) => {
        const { items, ...rest } = this.#news(filter, range);
        return { items: items.map((post) => this.#counted<'post'>(post)), ...rest };
      },
      newsOfThreads: async (filter, range) => {
        const { items, ...rest } = this.#news(filter, range);
        return {
          items: items.map(({ id, prefix, rootId, createdAt }) => ({ id, prefix, rootId, createdAt })),
          ...rest,
        };
      },
      threads: async (range) => ({ items: this.#threads(range), latest: this.#latest }),
      related: async ({ posts: asked = [], heads = [], known = [], numbers = [], sizes = [] }) => {
        const visible = posts();
        const all = this.#state.records.flatMap(({ kind, record }) =>
          kind === 'post' ? (record as Post) : [],
        );
        const numberOf = ({ id, rootId }: Post): number =>
          1 + all.filter((post) => post.rootId === rootId).findIndex((post) => post.id === id);
        const { erased, decisive } = this.#state;
        const toMap = <Fact>(from: readonly Post[], ids: readonly string[], toFact: (post: Post) => Fact) =>
          new Map(from.filter(({ id }) => ids.includes(id)).map((post) => [post.id, toFact(post)]));
        return {
          posts: toMap(visible, asked, (post) => this.#counted<'post'>(post)),
          heads: toMap(visible, heads, ({ prefix, name = null, rootId }) => ({ prefix, name, rootId })),
          known: new Set(
            known.filter((id) => erased.has(id) || decisive.has(id) || this.#find(id) !== undefined),
          ),
          numbers: toMap(all, numbers, numberOf),
          sizes: new Map(sizes.map((id) => [id, sizeOf(id)])),
        } satisfies Related;
      },
      referrersOf: async (id, limit) =>
        posts()
          .filter((post) => refersTo(post).includes(id))
          .reverse()
          .slice(0, limit)
          .map(headOf),
      totals: async () => ({
        posts: posts().length,
        threads: posts().filter(({ parentId }) => parentId === null).length,
        byPrefix: countByPrefix(posts()),
        guests: this.#visible('guest').length,
        projects: this.#visible('project').length,
      }),
      dayCounts: async (range) => {
        const counted = posts().filter((post) => isWithin(post, range));
        const dayOf = ({ createdAt }: Post): string => createdAt.slice(0, '2026-11-21'.length);
        return [...new Set(counted.map(dayOf))].map((day) => ({
          day,
          byPrefix: countByPrefix(counted.filter((post) => dayOf(post) === day)),
        }));
      },
      firstPosts: async (limit) =>
        posts()
          .filter(({ parentId }) => parentId === null)
          .reverse()
          .slice(0, limit)
          .map(({ id, createdAt }) => ({ id, createdAt })),
      steps: async () => this.#steps(),
      posts: async (ids) =>
        ids
          .flatMap((id) => posts().filter((post) => post.id === id))
          .map((post) => this.#counted<'post'>(post)),
      countPosts: async (range, limit) =>
        Math.min(limit, posts().filter((post) => isWithin(post, range)).length),
      recentWriteAges: async (clientKey, limitScope, windowMs, limit) =>
        this.#ages(windowMs, limit, (one) => one.clientKey === clientKey && one.limitScope === limitScope),
      records: async (ids) => this.#state.records.filter(({ record }) => ids.includes(record.id)),
      moderations: async (limit, before = '~') =>
        this.#state.moderations
          .filter(({ at }) => at < before)
          .reverse()
          .slice(0, limit)
          .map(({ action, id, at, reason }) => ({ action, id, at, reason })),
      history: () => this.#history(),
      log: async (after, limit) => {
        const lines = this.#log().filter(({ n }) => n > (after?.n ?? 0));
        return { lines: lines.slice(0, limit), more: lines.length > limit, newest: this.#operations.length };
      },
      frozen: async () => this.#isFrozen,
      timestampsAround: async (at) => {
        const { records, moderations } = this.#state;
        const times = [...records.map(({ record }) => record.createdAt), ...moderations.map((one) => one.at)];
        const sorted = [...times, this.#latest ?? []].flat().sort();
        return {
          atOrBefore: sorted.findLast((time) => time <= at) ?? null,
          atOrAfter: sorted.find((time) => time >= at) ?? null,
        };
      },
    };
  }
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const isModeration = (one: WriteOperation): one is ModerationEntry =>
  one.action === 'hide' || one.action === 'unhide' || one.action === 'erase';

const isWithin = (one: { readonly createdAt: Timestamp }, { after = '', before = '~' }: TimeRange): boolean =>
  one.createdAt > after && one.createdAt < before;

const inOrder = <One>(
  all: readonly One[],
  order: 'newest' | 'oldest',
  at: (one: One) => Timestamp,
): One[] => {
  const oldest = all.toSorted((a, b) => compare(at(a), at(b)));
  return order === 'oldest' ? oldest : oldest.reverse();
};

const signerOf = (post: Post | undefined): string | null =>
  post?.mark === undefined ? null : toSigner(post.mark);

/** Whether a post is in a feed. */
export const isMatch = (post: Post, { words = [], prefix, threads, name }: FeedFilter): boolean =>
  compareWords(post, words).holdsAll &&
  (name === undefined || post.name === name) &&
  (prefix === undefined || post.prefix === prefix) &&
  (threads !== true || post.parentId === null);

function isNews(post: Post, { posts, prefix, words = [], any }: NewsFilter): boolean {
  const answers = (id: string): boolean => refersTo(post).includes(id) || post.rootId === id;
  return (
    (posts === undefined || (posts.some(answers) && !posts.includes(post.id))) &&
    (prefix === undefined || post.prefix === prefix) &&
    compareWords(post, words, any).holdsAll
  );
}

const headOf = (post: Post): PostHead => {
  const { id, prefix, name = null, createdAt } = post;
  return { id, prefix, name, mark: signerOf(post), createdAt };
};

function countByPrefix(posts: readonly Post[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { prefix } of posts) counts[prefix ?? 'none'] = (counts[prefix ?? 'none'] ?? 0) + 1;
  return counts;
}
