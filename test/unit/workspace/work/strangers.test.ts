import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { lookOf } from '#message/look.ts';
import { readStepFacts, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import type { Derivation, Standing } from '#workspace/work/derive-work.ts';
import { findOriginal, judge } from '#workspace/work/standing.ts';
import { deriveWork } from '../../../support/derived-work.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const MINUTE_MS = 60_000;
const END = Date.parse('2026-11-25T22:12:00.000Z');

/** Half an hour in which three agents worked, and careless and misleading strangers wrote under their names. */
const FEED: readonly Post[] = readFileSync(
  join(import.meta.dirname, '../../../fixtures/strangers.jsonl'),
  'utf8',
)
  .trim()
  .split('\n')
  .flatMap((line) => (JSON.parse(line) as { post?: Post }).post ?? [])
  .map((post) => ({
    ...post,
    prefix: parsePrefix(post.message),
    parentId: post.parentId ?? null,
    rootId: post.rootId ?? post.id,
  }));

/** Positions in the feed, from 1. */
const BY_STRANGERS = new Set([
  4, 5, 10, 16, 17, 18, 21, 24, 26, 28, 32, 39, 41, 45, 48, 49, 53, 57, 58, 63, 69, 74,
]);

const isStranger = (index: number): boolean => BY_STRANGERS.has(index + 1);

const markOf = (writer: number): string => `0${String(writer).padStart(10, '0')}a`;

/** With all writers known, and without the REVIEWs and WORKs of strangers. */
function truthOf(): Post[] {
  const agents = new Map<string, string>();
  return FEED.flatMap((post, index) => {
    if (isStranger(index)) {
      const isSpeech = post.prefix === 'REVIEW' || post.prefix === 'WORK';
      return isSpeech ? [] : [{ ...post, name: `stranger ${index}`, mark: markOf(index) }];
    }
    const name = post.name ?? '';
    const mark = agents.get(name) ?? markOf(100 + index);
    agents.set(name, mark);
    return [{ ...post, mark }];
  });
}

/**
 * As the service stores it: each agent sends its key from its second message on, unless it forgets it, and a
 * stranger whose name is refused posts again under a fresh one.
 */
function storedOf(forgets: (index: number) => boolean): Post[] {
  const keys = new Map<string, string>();
  const stored: Post[] = [];
  const ownerOf = (post: Post): string | undefined => {
    const first = stored.find(
      (one) => one.rootId === post.rootId && lookOf(one.name ?? '') === lookOf(post.name ?? ''),
    );
    const mark = first?.mark?.toLowerCase();
    const isClaimed =
      mark === first?.mark || stored.some((one) => one !== first && one.mark?.toLowerCase() === mark);
    return first !== undefined && isClaimed ? mark : undefined;
  };
  for (const [index, post] of FEED.entries()) {
    const fresh = markOf(100 + index);
    const agent = `${post.name} ${post.rootId}`;
    const known = isStranger(index) || forgets(index) ? undefined : keys.get(agent);
    let written: Post = { ...post, mark: known ?? fresh.toUpperCase() };
    const owner = ownerOf(written);
    if (owner !== undefined && owner !== known) {
      // An agent that forgot its key finds it; a stranger has none.
      const own = isStranger(index) ? undefined : keys.get(agent);
      written = own === owner ? { ...written, mark: own } : { ...written, name: `${post.name} ${index}` };
    }
    if (!isStranger(index) && !keys.has(agent)) keys.set(agent, fresh);
    stored.push(written);
  }
  return stored;
}

function deriveAt(posts: readonly Post[], at: number): Derivation {
  const steps = posts.flatMap((post): Step[] => {
    const facts = readStepFacts(post);
    const { id, prefix, parentId, rootId, createdAt } = post;
    return facts === null || Date.parse(createdAt) > at
      ? []
      : [{ id, prefix, parentId, rootId, createdAt, ...facts }];
  });
  return deriveWork(steps);
}

type Place = 'confirmed' | 'partly' | 'disputed' | 'unreviewed' | 'none';

const PLACE: Readonly<Record<Standing, Place>> = {
  replaced: 'none',
  withdrawn: 'none',
  unreviewed: 'unreviewed',
  confirmed: 'confirmed',
  partly: 'partly',
  notConfirmed: 'disputed',
  contested: 'disputed',
};

const placesOf = (work: Derivation): Map<string, Place> =>
  new Map([...work.results].map(([id, result]) => [id, PLACE[judge(result).standing]]));

const TIMES = [...FEED.map(({ createdAt }) => Date.parse(createdAt)), END];
const RIGHT = TIMES.map((at) => placesOf(deriveAt(truthOf(), at)));

/** @returns how long RESULTs stood on another list than they should, and how many do at the end */
function compare(stored: readonly Post[]): { minutes: number; atEnd: string[] } {
  let minutes = 0;
  let wrong: string[] = [];
  for (const [index, at] of TIMES.entries()) {
    if (index > 0) minutes += (wrong.length * (at - TIMES[index - 1]!)) / MINUTE_MS;
    const right = RIGHT[index]!;
    const shown = placesOf(deriveAt(stored, at));
    wrong = [...right.keys()].filter((id) => right.get(id) !== shown.get(id));
  }
  return { minutes, atEnd: wrong };
}

const end = (stored: readonly Post[]): Derivation => deriveAt(stored, END);
const short = (id: string): string => id.slice(-4);

describe('among strangers that write under the names of others', () => {
  it('the lists are right at the end, and wrong for less than 9.3 RESULT-minutes before', () => {
    const { minutes, atEnd } = compare(storedOf(() => false));
    assert.deepEqual(atEnd.map(short), []);
    assert.ok(minutes <= 9.3, `${minutes} minutes`);
  });

  it('they are nearly so if the agents forget 30 % of their keys', () => {
    const runs = Array.from({ length: 20 }, (_, seed) => {
      const random = new SeededRandom(seed + 1);
      const forgotten = new Set(FEED.flatMap((_post, index) => (random.below(10) < 3 ? [index] : [])));
      return compare(storedOf((index) => forgotten.has(index)));
    });
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const [minutes, atEnd] = [
      mean(runs.map((run) => run.minutes)),
      mean(runs.map((run) => run.atEnd.length)),
    ];
    assert.ok(minutes <= 12.4 && atEnd <= 0.2, `${minutes} minutes, ${atEnd} at the end`);
  });

  it('RESULTs stand as they were found to by hand', () => {
    const { results } = end(storedOf(() => false));
    const standing = (wanted: Standing): string[] =>
      [...results.values()].filter((one) => judge(one).standing === wanted).map(({ step }) => short(step.id));
    assert.deepEqual(standing('confirmed'), ['65a2', 'c731', '881e', '5f6b']);
    // The third in part, 3293, is the second RESULT of a REVIEW that judges the first.
    assert.deepEqual(standing('partly'), ['7713', 'acfc']);
    assert.deepEqual(standing('unreviewed'), ['0308', 'd58b', '3293', '551c']);
    assert.deepEqual(standing('contested'), ['26f5']);
    assert.deepEqual(standing('notConfirmed'), ['3f7e', '9e08', 'e2d7', '5386', 'ff99']);
    const copies = [...results.values()].filter((one) => findOriginal(one)?.id.endsWith('c731'));
    assert.deepEqual(
      copies.map(({ step }) => short(step.id)),
      ['e2d7', '0308'],
    );
  });
});
