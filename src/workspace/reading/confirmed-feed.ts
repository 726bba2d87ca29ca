import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { copiesLast, type Board } from '#work/board.ts';
import { allDelistings, firstOfDay, listedAt, type FeedEntry } from '#work/listed.ts';
import type { FeedFilter } from '#workspace/schemas/feed-query.ts';
import { DAY_MS, timestampAt } from '#workspace/text/time.ts';
import { readSteps } from './find-work.ts';
import {
  createFindings,
  namedBySteps,
  openerOf,
  stepsOfFinding,
  type Finding,
  type Opener,
} from './findings.ts';
import { titleOf } from './heads.ts';
import type { WorkAt } from './work-reader.ts';

/** What the feed says of one of its messages: a confirmed RESULT, or what took one off the lists over threads. */
export interface ConfirmedEntry {
  /** When the RESULT was listed, or when the message that took it off was written. */
  readonly at: Timestamp;
  readonly finding: Finding;
  readonly opener: Opener;
  readonly isListed: boolean;
  /** The newest others of its thread and day of which the same is so. */
  readonly others: readonly { readonly id: string; readonly title: string }[];
  /** How many of them are left out. */
  readonly more: number;
}

/** RESULTs that an entry names besides its own. */
const MAX_OTHERS = 8;

/**
 * Chooses what feeds have of confirmed RESULTs: one a thread a day, and for seven days the message that took one
 * off the lists.
 * @param now milliseconds since 1970
 * @param filter of the RESULTs
 * @returns the newest first, those of copies of threads last
 */
export async function chooseEntries(
  read: Reader,
  { board, lists }: Pick<WorkAt, 'board' | 'lists'>,
  now: number,
  { q, name, prefix = 'RESULT', threads, limit }: Partial<FeedFilter> & { readonly limit: number },
): Promise<FeedEntry[]> {
  if (prefix !== 'RESULT') return [];
  const isWanted = (result: Step): boolean =>
    (name ?? result.name) === result.name && !(threads && result.parentId !== null);
  const delisted = (await readDelisted(board, now)).filter(({ result }) => isWanted(result));
  const listed = lists.confirmed.filter(isWanted);
  const results = new Set([...delisted.map(({ result }) => result), ...listed]);
  const found = q === undefined ? results : await search(read, [...results], q, limit);
  // While a search waits, what is listed may change.
  const toEntry = (step: Step) => {
    const result = board.results.get(step.id);
    const at = result && listedAt(result);
    return at === undefined ? [] : { step, result: step, at };
  };
  const entries = [
    ...firstOfDay(delisted.filter(({ result }) => found.has(result))),
    ...firstOfDay(listed.filter((one) => found.has(one)).flatMap(toEntry)),
  ];
  // A RESULT of the opener may itself have the line that takes another one off.
  const byId = new Map(entries.toReversed().map((entry) => [entry.step.id, entry]));
  const newest = [...byId.values()].sort((a, b) => b.at - a.at);
  return copiesLast(board, newest, ({ step }) => step).slice(0, limit);
}

/**
 * Reads what took RESULTs off the lists over threads in the last seven days.
 * @param now milliseconds since 1970
 */
export async function readDelisted(board: Board, now: number): Promise<Omit<FeedEntry, 'others'>[]> {
  const delisted: Omit<FeedEntry, 'others'>[] = [];
  await visitInSlices(allDelistings(board, timestampAt(now - 7 * DAY_MS)), (one) => {
    if (one === undefined) return;
    const { step } = one.by;
    delisted.push({ step, result: one.result.step, at: Date.parse(step.createdAt) });
  });
  return delisted;
}

/** @returns the first RESULTs that have all the words */
async function search(
  read: Reader,
  results: readonly Step[],
  q: string,
  limit: number,
): Promise<ReadonlySet<Step>> {
  const { items } = await readSteps(read, results, q, limit);
  const ids = new Set(items.map(({ record }) => record.id));
  return new Set(results.filter(({ id }) => ids.has(id)));
}

/** Reads what the feed says of its messages. @returns by their ids */
export async function readEntries(
  read: Pick<Reader, 'related'>,
  { board }: Pick<WorkAt, 'board'>,
  entries: readonly FeedEntry[],
): Promise<ReadonlyMap<string, ConfirmedEntry>> {
  const known = entries.flatMap((entry) => {
    const result = board.results.get(entry.result.id);
    return result === undefined ? [] : [{ entry, result }];
  });
  const steps: Step[] = known.flatMap(({ result }) => stepsOfFinding(result));
  const ids = steps.map(({ id }) => id);
  const others = known.flatMap(({ entry }) => entry.others.slice(0, MAX_OTHERS));
  const posts = [...ids, ...others.map(({ id }) => id), ...known.map(({ result }) => result.step.rootId)];
  const related = await read.related({ posts, numbers: namedBySteps(board, steps) });
  const toFinding = createFindings(board, related);
  return new Map(
    known.map(({ entry: { step, result: chosen, at, others: ofDay }, result }) => {
      const opener = openerOf(board, related.posts.get(step.rootId)?.record);
      const titled = ofDay.slice(0, MAX_OTHERS).flatMap(({ id }) => {
        const post = related.posts.get(id)?.record;
        return post === undefined ? [] : { id, title: titleOf(post) };
      });
      const beside = { others: titled, more: ofDay.length - titled.length };
      const said = { at: timestampAt(at), isListed: step === chosen, ...beside };
      return [step.id, { ...said, opener, finding: toFinding(result) }];
    }),
  );
}
