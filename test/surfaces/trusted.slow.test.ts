import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { FIRST_FEED, SECOND_FEED, THIRD_FEED, THIRD_TRUTH, type Attempt } from '../support/recorded-feeds.ts';
import { replay, usualKey, type Conduct } from '../support/replay.ts';
import { ENGINES } from '../support/store/engines.ts';

/** The opener of the second feed, and the two agents who worked in its thread. */
const [BIRCH, ALDER, CEDAR] = ['Birch', 'Alder (js)', 'Cedar (twmh)'];
const ROOT = SECOND_FEED[0]!.post.id;
/** RESULTs of the second feed, by the ends of their ids. */
const resultOf = (end: string): string => SECOND_FEED.find(({ post }) => post.id.endsWith(end))!.post.id;
const [B, C, D, A, E] = ['5524be4c9', '2bff7b9e4', 'cffc528ff', '4b6ba8627', 'a89bc755d'].map(resultOf);
const FORGED = ['88-5b34', '8a-8988', '8f-2e4e', '95-17f2', '9a-45b8', '9d-5198'].map(
  (part) => SECOND_FEED.find(({ post }) => post.id.startsWith(`post_01a220${part}`))!.post.id,
);

interface Added {
  readonly writer: string;
  readonly message: string;
  readonly isHonest?: boolean;
}

let count = 0;

/** @returns the feed with messages in the thread right after one of its messages */
function insert(feed: readonly Attempt[], after: string, added: readonly Added[]): Attempt[] {
  return feed.flatMap((attempt) => {
    const { id, createdAt } = attempt.post;
    if (id !== after) return [attempt];
    const more = added.map(({ writer, message, isHonest = false }, index): Attempt => {
      const at = new Date(Date.parse(createdAt) + index + 1).toISOString().replace('Z', '000Z');
      const ending = String(++count).padStart(12, '0');
      return {
        post: {
          id: `post_01a2ffff-0000-7000-8000-${ending}`,
          message,
          prefix: parsePrefix(message),
          parentId: ROOT,
          rootId: ROOT,
          createdAt: at,
          name: writer,
        },
        writer,
        isHonest,
        isKeyed: true,
      };
    });
    return [attempt, ...more];
  });
}

const review = (of: string, outcome: string): string =>
  `REVIEW: run\nResult being checked (post id): ${of}\nOutcome: ${outcome}\nEvidence: all 288 cells by my program`;

/** False REVIEWs of what is right, and of what is forged. */
const slander = (writer: string): Added[] => [
  ...[B, C, D, A, E].map((id) => ({ writer, message: review(id!, 'not confirmed') })),
  ...FORGED.map((id) => ({ writer, message: review(id, 'confirmed') })),
];

const LAST = SECOND_FEED.at(-1)!.post.id;
/** An honest RESULT of a stranger, which an agent confirms. */
const honestWork = insert(SECOND_FEED, E!, [
  {
    writer: 'Lynx',
    message: 'RESULT: the same for Nuuk\nWhat I produced: one more town, twelve dates, by SPA',
  },
]);
const lynx = honestWork.find(({ writer }) => writer === 'Lynx')!.post.id;
const letInBy = (writer: string): Attempt[] =>
  insert(honestWork, lynx, [
    { writer, message: review(lynx, 'confirmed'), isHonest: true },
    ...slander('Lynx'),
  ]);
const letIn = letInBy(BIRCH!);

interface Scenario {
  readonly feed: readonly Attempt[];
  readonly conduct?: Conduct;
  /** The most RESULT-minutes. */
  readonly falseMinutes: number;
  readonly silentMinutes: number;
  /** RESULTs that stand false at the end. */
  readonly falseAtEnd?: number;
  readonly silentAtEnd?: number;
  /** As `Figures` of the replay; 0 without a bound. */
  readonly wrongByTwoMinutes?: number;
  readonly worseMinutes?: number;
}

const MIDDLE = Math.floor(SECOND_FEED.length / 2);

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'the first feed': { feed: FIRST_FEED, falseMinutes: 0, silentMinutes: 13 },
  'the first feed, where strangers send keys too': {
    feed: FIRST_FEED,
    conduct: { keyOf: ({ writer }) => writer },
    falseMinutes: 0,
    silentMinutes: 13,
  },
  'the third feed': {
    feed: THIRD_FEED,
    conduct: { truth: THIRD_TRUTH },
    falseMinutes: 1.7,
    wrongByTwoMinutes: 0.8,
    silentMinutes: 3,
  },
  'the second feed': { feed: SECOND_FEED, falseMinutes: 0, silentMinutes: 80, silentAtEnd: 0 },
  'the second feed as seen by Alder': {
    feed: SECOND_FEED,
    conduct: { viewer: ALDER! },
    falseMinutes: 0,
    silentMinutes: 30,
  },
  'the second feed as seen by Cedar': {
    feed: SECOND_FEED,
    conduct: { viewer: CEDAR! },
    falseMinutes: 0,
    silentMinutes: 30,
  },
  'the opener loses its key in the middle': {
    feed: SECOND_FEED,
    conduct: {
      keyOf: (attempt, index) =>
        attempt.writer === BIRCH && index > MIDDLE ? 'Birch again' : usualKey(attempt),
    },
    falseMinutes: 0,
    silentMinutes: 107,
  },
  'the opener never comes back': {
    feed: SECOND_FEED.filter(({ writer }, index) => writer !== BIRCH || index < 10),
    falseMinutes: 0,
    silentMinutes: 107,
  },
  'the opener is a stranger': {
    feed: SECOND_FEED,
    conduct: { keyOf: (attempt, index) => (index === 0 ? 'stranger who opens' : usualKey(attempt)) },
    falseMinutes: 0,
    silentMinutes: 111,
  },
  'two strangers confirm each other': {
    feed: insert(SECOND_FEED, C!, [
      { writer: 'Stoat', message: 'RESULT: a table of towns\nWhat I produced: 12 towns of my own' },
      { writer: 'Weasel', message: 'RESULT: a table of dates\nWhat I produced: 12 dates of my own' },
    ]).flatMap((attempt, _, feed) =>
      attempt.post.id === LAST
        ? insert([attempt], LAST, [
            {
              writer: 'Stoat',
              message: review(feed.find(({ writer }) => writer === 'Weasel')!.post.id, 'confirmed'),
            },
            {
              writer: 'Weasel',
              message: review(feed.find(({ writer }) => writer === 'Stoat')!.post.id, 'confirmed'),
            },
            ...slander('Stoat'),
            ...slander('Weasel'),
          ])
        : [attempt],
    ),
    falseMinutes: 0,
    silentMinutes: 80,
  },
  'an agent whom the opener trusts confirms an honest RESULT of a stranger': {
    feed: letInBy(ALDER!),
    falseMinutes: 0,
    silentMinutes: 83,
  },
  'a stranger is let in by an honest RESULT': {
    feed: letIn,
    // One vote stands until the opener, which was away for a quarter of an hour, gives its two.
    falseMinutes: 52,
    silentMinutes: 33,
    falseAtEnd: 1,
  },
  'a stranger is let in, and the opener distrusts it': {
    feed: insert(letIn, LAST, [
      {
        writer: BIRCH!,
        message: 'Lynx reviews what it has not run.\nDistrust: {signer:Lynx}',
        isHonest: true,
      },
    ]),
    falseMinutes: 52,
    silentMinutes: 33,
  },
  'a third of the honest messages has no key': {
    feed: SECOND_FEED,
    conduct: {
      keyOf: (attempt, index) => (attempt.isHonest && index % 3 === 2 ? undefined : usualKey(attempt)),
    },
    falseMinutes: 0,
    silentMinutes: 107,
  },
  'the operator hides what is forged': {
    feed: SECOND_FEED,
    conduct: { hidden: FORGED },
    falseMinutes: 0,
    silentMinutes: 80,
  },
  'reports hold honest REVIEWs': {
    feed: SECOND_FEED,
    conduct: {
      held: SECOND_FEED.filter(
        ({ isHonest, post }, index) => isHonest && post.prefix === 'REVIEW' && index % 2 === 0,
      ).map(({ post }) => post.id),
    },
    falseMinutes: 0,
    silentMinutes: 80,
  },
};

for (const [engine, place] of Object.entries(ENGINES))
  for (const [name, { feed, conduct, ...bounds }] of Object.entries(SCENARIOS))
    test(`on ${engine}, standings where ${name}`, async (t) => {
      const app = await setUp(t, { ...place(), limits: NO_LIMITS, empty: true });
      const figures = await replay(app, feed, conduct);
      t.diagnostic(JSON.stringify({ ...figures, standings: undefined }));
      assert.ok(figures.falseMinutes <= bounds.falseMinutes, `${figures.falseMinutes} false RESULT-minutes`);
      assert.ok(figures.silentMinutes <= bounds.silentMinutes, `${figures.silentMinutes} silent`);
      for (const figure of ['wrongByTwoMinutes', 'worseMinutes'] as const)
        assert.ok(figures[figure] <= (bounds[figure] ?? 0), `${figure} ${figures[figure]}`);
      assert.equal(figures.falseAtEnd.length, bounds.falseAtEnd ?? 0, figures.falseAtEnd.join('; '));
      if (bounds.silentAtEnd !== undefined)
        assert.equal(figures.silentAtEnd.length, bounds.silentAtEnd, figures.silentAtEnd.join('; '));
    });
