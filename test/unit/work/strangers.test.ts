import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '#store/port/records.ts';
import { Board } from '#work/board.ts';
import { toSignature } from '#work/say.ts';
import { findOriginal, findTwin, freeParts, judge } from '#work/verdicts.ts';
import type { Standing } from '#work/thread.ts';
import { ATTACKS, attackedBy } from '../../support/attacks.ts';
import { listWork, toSteps } from '../../support/derived-work.ts';
import { deriveAt, markOf, RECORDED, storedOf, type Attempt, type Conduct } from '../../support/strangers.ts';
import { SeededRandom } from '../../torture/support/random.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const END = Date.parse('2026-11-25T22:12:00.000Z');

/** With all writers known, and without the REVIEWs and WORKs of strangers. */
function truthOf(attempts: readonly Attempt[]): Post[] {
  const agents = new Map<string, string>();
  return attempts.flatMap(({ post, writer, isStranger }, index) => {
    if (isStranger) {
      const isSpeech = post.prefix === 'REVIEW' || post.prefix === 'WORK';
      return isSpeech ? [] : [{ ...post, name: `stranger ${index}`, mark: markOf(index) }];
    }
    const mark = agents.get(writer) ?? markOf(5000 + index);
    agents.set(writer, mark);
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

/** @returns the lists on which RESULTs stand at each of the times, by their ids */
function placesAt(posts: readonly Post[], times: readonly number[]): Map<string, Place>[] {
  const steps = toSteps(posts);
  const board = new Board();
  let next = 0;
  return times.map((at) => {
    for (let step = steps[next]; step && Date.parse(step.createdAt) <= at; step = steps[++next])
      board.add(step);
    return new Map([...board.results].map(([id, result]) => [id, PLACE[judge(result).standing]]));
  });
}

const short = (id: string): string => id.slice(-4);

/** @returns how long recorded RESULTs stood on another list than they should, and how many do at the end */
function compare(
  attempts: readonly Attempt[],
  conduct: Conduct = {},
): { readonly minutes: number; readonly atEnd: readonly string[] } {
  const times = [...attempts.map(({ post }) => Date.parse(post.createdAt)), END];
  const right = placesAt(truthOf(attempts), times);
  const shown = placesAt(storedOf(attempts, conduct), times);
  let minutes = 0;
  let wrong: string[] = [];
  for (const [index, at] of times.entries()) {
    if (index > 0) minutes += (wrong.length * (at - times[index - 1]!)) / MINUTE_MS;
    wrong = RECORDED.map(({ post }) => post.id).filter(
      (id) => right[index]?.get(id) !== shown[index]?.get(id),
    );
  }
  return { minutes, atEnd: wrong.map(short) };
}

const end = (stored: readonly Post[]): Board => deriveAt(stored, END);

/** Of writers and strangers by what they do: the most RESULT-minutes on a wrong list, and what is wrong at the end. */
type Row = readonly [
  what: string,
  maxMinutes: number,
  wrongAtEnd: readonly string[],
  Conduct,
  (readonly Attempt[])?,
];

const keyless =
  (...agents: readonly string[]): NonNullable<Conduct['keyOf']> =>
  ({ isStranger, writer }) =>
    isStranger || agents.includes(writer) ? null : writer;

const losing =
  (agent: string, from: number): NonNullable<Conduct['keyOf']> =>
  ({ isStranger, writer }, index) => {
    if (isStranger) return null;
    return writer === agent && index >= from ? `${writer} later` : writer;
  };

/** Strangers have a key for each name. */
const withKeys: Conduct['keyOf'] = ({ isStranger, writer, post }) =>
  isStranger ? `${post.name} too` : writer;

const signed = RECORDED.map((attempt) => ({ ...attempt, isSigned: attempt.isStranger }));

const attackers: Conduct = {
  keyOf: ({ isStranger, isSigned, writer }) => (isStranger && !isSigned ? null : writer),
};
const against = (agent: string): Conduct => ({
  keyOf: ({ isStranger, isSigned, writer }) =>
    (isStranger && !isSigned) || writer === agent ? null : writer,
});

const MIDDLE = 39;

const ROWS: readonly Row[] = [
  ['the agents send their keys, the strangers none', 9.3, [], {}],
  ['the strangers have keys of their own', 9.3, [], { keyOf: withKeys }],
  ['the strangers sign from their first message on', 9.3, [], { keyOf: withKeys }, signed],
  // Its earlier RESULTs can no longer be replaced: what was found against them stays.
  ['Alder loses its key in the middle', 39.1, ['65b7', 'ae64'], { keyOf: losing('Alder', MIDDLE) }],
  ['Birch loses its key in the middle', 9.3, [], { keyOf: losing('Birch', MIDDLE) }],
  ['Cedar loses its key in the middle', 24.9, ['3058'], { keyOf: losing('Cedar', MIDDLE) }],
  // What a stranger did under the name of an agent without a key stands.
  ['Alder never sends a key', 23.3, ['7713'], { keyOf: keyless('Alder') }],
  ['Birch never sends a key', 24.4, ['c731'], { keyOf: keyless('Birch') }],
  ['Cedar never sends a key', 9.3, [], { keyOf: keyless('Cedar') }],
  ['nobody ever sends a key', 38.4, ['c731', '7713'], { keyOf: () => null }],
];

describe('among strangers that write under the names of others', () => {
  for (const [what, maxMinutes, wrongAtEnd, conduct, attempts = RECORDED] of ROWS)
    it(`RESULTs are at most ${maxMinutes} minutes on a wrong list, ${wrongAtEnd.length} at the end: ${what}`, () => {
      const { minutes, atEnd } = compare(attempts, conduct);
      assert.deepEqual(atEnd, wrongAtEnd);
      assert.ok(minutes <= maxMinutes, `${minutes} minutes`);
    });

  it('RESULTs are 12.4 minutes on a wrong list if the agents forget 30 % of their keys, and 0.2 at the end', () => {
    const runs = Array.from({ length: 20 }, (_, seed) => {
      const random = new SeededRandom(seed + 1);
      const forgotten = new Set(RECORDED.flatMap((_one, index) => (random.below(10) < 3 ? [index] : [])));
      return compare(RECORDED, { forgets: (_attempt, index) => forgotten.has(index) });
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
    const { results } = end(storedOf(RECORDED));
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

describe('a stranger who knows the rules', () => {
  const all = ['65a2', 'c731', '7713', 'acfc', '881e', '5f6b', 'd58b', '3293', '551c'];
  const BOUNDS: Readonly<Record<keyof typeof ATTACKS, [maxMinutes: number, wrongAtEnd: string[]]>> = {
    'uses the names of the agents first': [9.3, []],
    'ends, withdraws and corrects under their names': [9.3, []],
    'does so with a key, once it has used their names': [9.3, []],
    'copies each RESULT': [9.3, []],
    'copies each RESULT, and says that it corrects it': [9.3, []],
    'takes each RESULT by a WORK': [9.3, []],
    // Nobody can prevent these without identities: evidence is not verified.
    'confirms each RESULT, with invented evidence': [53.7, ['d58b', '3293', '551c']],
    'rejects each RESULT, with invented evidence': [147.2, all],
  };
  for (const [what, [maxMinutes, wrongAtEnd]] of Object.entries(BOUNDS))
    it(`keeps RESULTs at most ${maxMinutes} minutes on a wrong list, ${wrongAtEnd.length} at the end: it ${what}`, () => {
      const attempts = attackedBy(ATTACKS[what as keyof typeof ATTACKS]);
      const { minutes, atEnd } = compare(attempts, attackers);
      assert.deepEqual(atEnd, wrongAtEnd);
      assert.ok(minutes <= maxMinutes, `${minutes} minutes`);
      const stored = storedOf(attempts, attackers);
      const board = end(stored);
      const { results } = board;
      const honest = stored.filter((_post, index) => attempts[index]?.isStranger === false);
      const taken = honest.filter((post) => toSignature(board.authorOf(post)).namesakeOf !== undefined);
      assert.deepEqual(
        taken.map(({ id }) => short(id)),
        [],
        'what the agents wrote is no namesake of another',
      );
      const copies = honest.filter(
        ({ id }) => results.has(id) && findOriginal(results.get(id)!) !== undefined,
      );
      assert.deepEqual(copies, [], 'what the agents wrote is no copy');
    });

  it('withdraws all RESULTs of an agent that never sends its key, and no others', () => {
    const attempts = attackedBy(ATTACKS['ends, withdraws and corrects under their names']);
    const { results } = end(storedOf(attempts, against('Birch')));
    const writerOf = new Map(attempts.map(({ post, writer }) => [post.id, writer]));
    const fallen = [...results].flatMap(([id, result]) =>
      ['replaced', 'withdrawn'].includes(judge(result).standing) ? (writerOf.get(id) ?? []) : [],
    );
    const own = attempts.filter(({ post, writer }) => post.prefix === 'RESULT' && writer === 'Birch');
    assert.equal(fallen.filter((writer) => writer === 'Birch').length, own.length);
    const others = end(storedOf(attempts, attackers));
    for (const [id, result] of results)
      if (!['Birch'].includes(writerOf.get(id) ?? ''))
        assert.equal(judge(result).standing, judge(others.results.get(id)!).standing, id);
  });

  it('opens a twin thread: its IDEA is listed last, and the first one stands', () => {
    const [idea] = RECORDED.map(({ post }) => post);
    const twin = { ...idea!, id: 'post_twin', rootId: 'post_twin', createdAt: RECORDED[2]!.post.createdAt };
    const posts = [idea!, twin];
    const work = deriveAt(posts, END);
    assert.deepEqual(
      listWork(work, END).ideas.map(({ id }) => id),
      [idea!.id, twin.id],
    );
    assert.equal(findTwin(work.ideas.get(twin.id)!)?.id, idea!.id);
    assert.equal(findTwin(work.ideas.get(idea!.id)!), undefined);
  });

  it('keeps a part by a junk RESULT until one REVIEW rejects it, and each part by a WORK for a day', () => {
    const at = (minute: number): string => new Date(minute * MINUTE_MS).toISOString().replace('Z', '000Z');
    const idea = {
      ...RECORDED[0]!.post,
      message: 'IDEA: x\nParts: wells; mills',
      prefix: 'IDEA',
      createdAt: at(0),
    };
    const say = (minute: number, name: string, message: string, parentId = idea.id): Post => {
      const prefix = message.slice(0, message.indexOf(':'));
      const own = { message, prefix, name, mark: markOf(minute) };
      return { ...idea, ...own, id: `post_${minute}`, parentId, createdAt: at(minute) };
    };
    const free = (posts: readonly Post[], minute: number): string[] => {
      const work = deriveAt([idea, ...posts], minute * MINUTE_MS);
      return freeParts(work.ideas.get(idea.id)!, minute * MINUTE_MS);
    };
    const junk = say(1, 'Fern', 'RESULT: done\nPart: mills');
    const review = say(2, 'Ann', 'REVIEW: empty\nOutcome: not confirmed\nEvidence: it has no row', junk.id);
    assert.deepEqual(free([junk], 1), ['wells']);
    assert.deepEqual(free([junk, review], 2), ['wells', 'mills']);
    const works = ['wells', 'mills'].map((part, n) =>
      say(n + 1, `Fern ${n}`, `WORK: x\nPart: ${part}\nNext update by (UTC): 1970-01-20`),
    );
    assert.deepEqual(free(works, 2), []);
    assert.deepEqual(free(works, 2 + DAY_MS / MINUTE_MS), ['wells', 'mills']);
  });
});
