import { ancestorsOf } from '#store/engine/operation.ts';
import type { Lookup, RecordState } from '#store/port/lookups.ts';
import type { Kind, ModerationEntry, Timestamp } from '#store/port/records.ts';
import type { Reader, Store } from '#store/port/store.ts';
import { historyOf, pageThrough, pageThroughThreads } from '../store-location.ts';
import { KINDS, type KnownRecords } from './known-records.ts';
import { CLIENTS, CONTENTS, KEYS } from './random-operations.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** More than any run stores. */
const ALL = 100_000;
const PAGE_SIZE = 17;
const SCOPES = ['feed', 'porch'] as const;

/** What stores are asked about. */
export interface Probes extends Pick<KnownRecords, 'ids' | 'all' | 'timestamps'> {
  readonly parents: readonly string[];
  readonly bounds: readonly (readonly [after: Timestamp, before: Timestamp])[];
}

/** Answers by question. */
export type Answers = Record<string, unknown>;

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
  const asked = [...all, ...ids.post, '', 'post_', 'post_\0', 'post_\ud800', '__proto__'];
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
  for (const limit of [9, ALL]) answers[`${limit} moderations`] = await read.moderations(limit);
  const history = await historyOf(store);
  answers['moderations in history'] = history.filter((entry) => 'action' in entry);
  // Each engine has numbers of its own.
  answers['log'] = (await read.log(null, ALL))?.lines.map(({ added, moderation }) => ({ added, moderation }));
  return answers;
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
  return store.write(lookups, (found) => ({
    result: Object.fromEntries(Object.keys(lookups).map((name) => [name, comparable(found[name])])),
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
