import { ancestorsOf } from '#store/engine/operation.ts';
import { widenNetwork } from '#store/port/network.ts';
import type { Lookup, RecordState } from '#store/port/lookups.ts';
import type { FeedFilter, LogCursor, LogLine, LogPage, NewsFilter } from '#store/port/pages.ts';
import type { CountedRecord, Kind, ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Reader, Store } from '#store/port/store.ts';
import type { SeededRandom } from '../../../torture/support/random.ts';
import { historyOf, pageThrough, pageThroughThreads } from '../store-location.ts';
import { KINDS, type KnownRecords } from './known-records.ts';
import { CLIENTS, CONTENTS, KEYS } from './random-operations.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Of the known ids and timestamps, the numbers that stores are asked about one by one. */
const PARENTS = 16;
const BOUNDS = 8;

/** More than any run stores. */
const ALL = 100_000;
const PAGE_SIZE = 17;
const SCOPES = ['feed', 'porch'] as const;

const FEED_FILTERS: readonly FeedFilter[] = [
  ...[{}, { prefix: 'IDEA' }, { prefix: null }, { threads: true }, { name: 'Ann' }, { name: '字' }],
  ...[{ words: ['lantern'] }, { words: ['lantern', '7'] }, { words: ['absent'] }],
  { words: ['see'], prefix: 'RESULT', threads: true, name: 'ann' },
];
const NEWS_FILTERS: readonly NewsFilter[] = [
  ...[{ prefix: 'RESULT' }, { prefix: null }, { words: ['see'] }, { words: ['lantern'], prefix: 'WORK' }],
  { any: [['see', 'idea'], ['7'], ['absent']] },
];

/** What stores are asked about. */
export interface Probes extends Pick<KnownRecords, 'ids' | 'all' | 'timestamps'> {
  readonly parents: readonly string[];
  readonly bounds: readonly (readonly [after: Timestamp, before: Timestamp])[];
}

/** Answers by question. */
export type Answers = Record<string, unknown>;

export function drawProbes({ ids, all, timestamps }: KnownRecords, random: SeededRandom): Probes {
  const draw = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  return {
    ids,
    all,
    timestamps,
    parents: Array.from({ length: PARENTS }, (_, n) => draw(n % 3 === 0 ? ids.project : ids.post)),
    bounds: Array.from({ length: BOUNDS }, () => {
      const [after, before] = [draw(timestamps), draw(timestamps)].sort();
      // A date alone is a bound too.
      return random.below(4) === 0 ? [after!.slice(0, 10), before!.slice(0, 10)] : [after!, before!];
    }),
  };
}

/** @returns what `Reader` answers of the records and moderations */
export async function readAnswers(store: Store, { ids, all, parents, bounds }: Probes): Promise<Answers> {
  const { read } = store;
  const answers: Answers = {};
  for (const order of ['newest', 'oldest'] as const) {
    for (const kind of KINDS) {
      answers[`pages of ${kind}, ${order}`] = await pageThrough(store, kind, { order, limit: PAGE_SIZE });
      for (const [after, before] of bounds)
        answers[`page of ${kind} from ${after} to ${before}, ${order}`] = await read.page(kind, {
          order,
          limit: PAGE_SIZE,
          after,
          before,
        });
    }
    for (const within of parents) {
      const kind: Kind = within.startsWith('project_') ? 'note' : 'post';
      answers[`pages within ${within}, ${order}`] = await pageThrough(store, kind, {
        order,
        within,
        limit: 3,
      });
    }
  }
  for (const order of ['newest', 'oldest'] as const) {
    answers[`threads, ${order}`] = await pageThroughThreads(store, { order, limit: 3 });
    for (const [after, before] of bounds) {
      const range = { order, after, before, limit: PAGE_SIZE, tail: 3, except: ids.post.slice(0, 5) };
      // Without the latest timestamp: an export lacks freezes, which have one too.
      answers[`threads from ${after} to ${before}, ${order}`] = (await read.threads(range)).items;
    }
  }
  const unknown = ['', 'post_', 'post_\0', 'post_\ud800', '__proto__'];
  const asked = [...all, ...ids.post, ...unknown];
  const related = await read.related({
    posts: asked,
    heads: asked,
    known: asked,
    numbers: asked,
    sizes: asked,
  });
  for (const [name, values] of Object.entries(related))
    answers[`related: ${name}`] = [...(values as ReadonlyMap<string, unknown>).entries()].sort(([a], [b]) =>
      compare(a, b),
    );
  answers['posts by day'] = await read.dayCounts({});
  for (const [after, before] of bounds)
    answers[`posts by day from ${after} to ${before}`] = await read.dayCounts({ after, before });
  for (const limit of [PAGE_SIZE, ALL]) answers[`${limit} first posts`] = await read.firstPosts(limit);
  for (const kind of KINDS)
    answers[`each ${kind}`] = await Promise.all(ids[kind].map((id) => read.find(kind, id)));
  answers['steps'] = await read.steps();
  for (const [after, before] of bounds)
    answers[`posts counted from ${after} to ${before}`] = await read.countPosts({ after, before }, ALL);
  answers['totals'] = await totalsOf(read);
  for (const id of [...ids.post.slice(-PARENTS), ...unknown])
    answers[`referrers of ${id}`] = await read.referrersOf(id, 5);
  for (const thread of ids.post.slice(-PARENTS))
    answers[`thread of ${thread}`] = await read.page('post', { thread, order: 'newest', limit: PAGE_SIZE });
  for (const filter of FEED_FILTERS)
    for (const maxCandidates of [20, ALL])
      answers[`feed of ${JSON.stringify(filter)}, ${maxCandidates}`] = await allOfFeed(
        read,
        filter,
        maxCandidates,
      );
  const about = ids.post.filter((_, n) => n % 9 === 0);
  for (const filter of [...NEWS_FILTERS, { posts: about }, { posts: about, prefix: 'RESULT' }])
    for (const maxCandidates of [20, ALL])
      answers[`news of ${JSON.stringify(filter)}, ${maxCandidates}`] = await allOfNews(
        read,
        filter,
        maxCandidates,
      );
  const { unknownPosts } = await read.news({ posts: ids.post }, { limit: 1, maxCandidates: ALL });
  answers['unknown posts of news'] = unknownPosts;
  answers['posts, at most three'] = await read.countPosts({}, 3);
  answers['records by id'] = (await read.records(all)).map(({ record }) => record.id).sort();
  answers['posts'] = await read.posts(asked);
  for (const at of bounds.flat()) answers[`times around ${at}`] = await read.timestampsAround(at);
  const history = await historyOf(store);
  // Records of several kinds may have one timestamp, and each engine has an order of its own for them.
  answers['records'] = history
    .flatMap((entry) => ('record' in entry ? [entry] : []))
    .sort((a, b) => compare(`${a.record.createdAt} ${a.record.id}`, `${b.record.createdAt} ${b.record.id}`));
  // Of several records an export has those of one timestamp in the order of their ids.
  answers['moderations of each record'] = sortedByRecord(
    history.flatMap((entry) => ('action' in entry ? [entry] : [])),
  );
  return answers;
}

/**
 * @returns the answers of `Reader` about what an export does not contain: origins, freezes, order of arrival
 */
export async function readLocalAnswers(store: Store): Promise<Answers> {
  const { read } = store;
  const answers: Answers = { frozen: await read.frozen() };
  for (const clientKey of CLIENTS)
    for (const scope of SCOPES)
      for (const [windowMs, limit] of [
        [HOUR_MS, 3],
        [DAY_MS, ALL],
      ] as const)
        answers[`${limit} writes of ${clientKey} to ${scope} within ${windowMs} ms`] =
          await read.recentWriteAges(clientKey, scope, windowMs, limit);
  const moderations = await read.moderations(9);
  answers['9 moderations'] = moderations;
  answers['earlier moderations'] = await read.moderations(ALL, moderations.at(-1)?.at);
  answers['latest'] = (await read.threads({ order: 'newest', limit: 1 })).latest;
  for (const filter of [{}, ...NEWS_FILTERS, { posts: ['post_0', 'post_\0'] }]) {
    const {
      items: _items,
      examinedTo: _to,
      ...rest
    } = await read.news(filter, { limit: 5, maxCandidates: ALL });
    answers[`state with news of ${JSON.stringify(filter)}`] = rest;
  }
  // A page of a filter of words may end early.
  for (const filter of [{}, NEWS_FILTERS[0]!]) {
    const { items } = await read.newsOfThreads(filter, { limit: 5, maxCandidates: ALL });
    answers[`heads of news of ${JSON.stringify(filter)}`] = items;
  }
  const history = await historyOf(store);
  answers['moderations in history'] = history.filter((entry) => 'action' in entry);
  // Each engine has numbers of its own.
  for (const limit of [7, ALL]) answers[`log, ${limit} lines at a time`] = await allOfLog(read, limit);
  return answers;
}

async function allOfFeed(read: Reader, filter: FeedFilter, maxCandidates: number): Promise<CountedRecord[]> {
  const all: CountedRecord[] = [];
  for (let before: Timestamp | undefined; ; ) {
    const { items, examinedTo } = await read.feed(filter, { before, limit: PAGE_SIZE, maxCandidates });
    all.push(...items);
    if (examinedTo === null) return all;
    before = examinedTo;
  }
}

async function allOfNews(read: Reader, filter: NewsFilter, maxCandidates: number): Promise<CountedRecord[]> {
  const all: CountedRecord[] = [];
  for (let after: Timestamp | undefined; ; ) {
    const { items, examinedTo } = await read.news(filter, { after, limit: PAGE_SIZE, maxCandidates });
    all.push(...items);
    if (examinedTo === null) return all;
    after = examinedTo;
  }
}

async function allOfLog(read: Reader, limit: number): Promise<object[]> {
  const lines: LogLine[] = [];
  for (let after: LogCursor | null = null; ; ) {
    const page: LogPage | null = await read.log(after, limit);
    lines.push(...(page?.lines ?? []));
    const { n = 0, added, moderation } = lines.at(-1) ?? {};
    // Each engine has numbers of its own.
    if (page?.more !== true)
      return lines.map(({ n: _, ...line }) => ({ added: undefined, moderation: undefined, ...line }));
    after = { n, id: moderation?.id ?? added?.record.id ?? '' };
  }
}

/** @returns what a write would be decided on, of records and moderations */
export function lookUpAnswers(store: Store, { ids, all, timestamps }: Probes): Promise<Answers> {
  const lookups: Record<string, Lookup> = {};
  for (const id of all) lookups[`state of ${id}`] = { type: 'record', id };
  for (const at of timestamps) {
    for (const kind of KINDS)
      lookups[`whether a ${kind} is of ${at}`] = { type: 'recordTimestamp', kind, at };
    const id = ids.post.at(-1) ?? '';
    lookups[`whether ${id} was hidden at ${at}`] = { type: 'moderation', action: 'hide', id, at };
  }
  return lookUpAll(store, lookups);
}

/** @returns what a write would be decided on, of earlier writes */
export function lookUpOrigins(store: Store): Promise<Answers> {
  const lookups: Record<string, Lookup> = {};
  for (const by of [null, ...CLIENTS.map((clientKey) => ({ widened: widenNetwork(clientKey) }))])
    lookups[`writes by ${JSON.stringify(by)}`] = { type: 'recentWriteAges', by, windowMs: HOUR_MS, limit: 9 };
  for (const clientKey of CLIENTS)
    for (const kind of KINDS) {
      const limitScope = kind === 'post' ? 'feed' : 'porch';
      const origin = { clientKey, limitScope, key: null, content: CONTENTS[kind][0]! } as const;
      for (const key of KEYS)
        lookups[`${kind} of ${clientKey} with ${key}`] = {
          type: 'idempotentHit',
          kind,
          origin: { ...origin, key },
          windowMs: DAY_MS,
        };
      for (const content of CONTENTS[kind])
        lookups[`${kind} of ${clientKey} like ${content}`] = {
          type: 'recentDuplicate',
          kind,
          origin: { ...origin, content },
          windowMs: DAY_MS,
        };
    }
  return lookUpAll(store, lookups);
}

function lookUpAll(store: Store, lookups: Readonly<Record<string, Lookup>>): Promise<Answers> {
  return store.write(lookups, (facts) => ({
    result: Object.fromEntries(Object.keys(lookups).map((name) => [name, comparable(facts[name])])),
  }));
}

/** @returns a fact with the ancestors of its record in place of its lineage */
function comparable(fact: unknown): unknown {
  if (typeof fact !== 'object' || fact === null || !('named' in fact)) return fact;
  const { named, grandparentId, ...record } = fact as RecordState;
  return { ...record, ancestors: ancestorsOf({ ...record, named, grandparentId }) };
}

/** A prefix without posts may be absent. */
async function totalsOf(read: Reader): Promise<object> {
  const { byPrefix, ...totals } = await read.totals();
  return {
    ...totals,
    byPrefix: Object.fromEntries(Object.entries(byPrefix).filter(([, count]) => count !== 0)),
  };
}

function sortedByRecord(moderations: readonly ModerationEntry[]): ModerationEntry[] {
  return moderations.toSorted((a, b) => compare(a.id, b.id) || compare(a.at, b.at));
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
