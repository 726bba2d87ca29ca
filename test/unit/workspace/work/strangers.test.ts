import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '#store/port/records.ts';
import type { Derivation, Standing } from '#workspace/work/derive-work.ts';
import { findOriginal, judge } from '#workspace/work/standing.ts';
import { deriveAt, FEED, isStranger, markOf, storedOf } from '../../../support/strangers.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const MINUTE_MS = 60_000;
const END = Date.parse('2026-11-25T22:12:00.000Z');

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
