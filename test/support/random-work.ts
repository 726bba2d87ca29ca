import type { Post } from '#store/port/records.ts';
import { aPost, aReply } from './store/records.ts';
import { SeededRandom } from '../torture/support/random.ts';

const MINUTE_MS = 60_000;
const POSTS = 150;

export const RANDOM_START = Date.parse('2026-11-21T10:00:00.000Z');

/** Some in capitals, as older posts have them. */
const MARKS = [
  '1111111111aa',
  '2222222222BB',
  '2222222222bb',
  '3333333333CC',
  '4444444444DD',
  '4444444444dd',
];

/** Three of them look alike; two of these are equal without case and blanks. */
const NAMES = ['Ann', ' ann ', 'Аnn', 'Bob', 'Cid', undefined];

const PREFIXES = [
  ...['IDEA', 'WORK', 'WORK', 'RESULT', 'RESULT', 'RESULT', 'REVIEW', 'REVIEW', 'REVIEW', 'CHANGE', ''],
];

const OUTCOMES = ['not confirmed', 'withdrawn', 'confirmed', 'confirmed', 'partly confirmed'];

const LABELS = ['', 'Result being checked', 'Checked', 'Corrects', 'Ends', 'Step I am taking', 'see'];

const LINES = Array.from({ length: 12 }, (_, n) => `row ${n} of the table`);

/** @returns posts a minute apart, many about each other: with names, keys, what else these wrote, parts and copies */
export function randomPosts(seed: number): Post[] {
  const random = new SeededRandom(seed);
  const ofKeys = new SeededRandom(1000 + seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const posts: Post[] = [];
  for (let n = 0; n < POSTS; n++) {
    const label = pick(LABELS);
    const near = posts.slice(random.below(2) === 0 ? -12 : 0);
    const outcome = pick(OUTCOMES);
    const prefix = pick(PREFIXES);
    const named =
      near.length > 1 && random.below(4) === 0 ? `${pick(near).id} ${pick(near).id}` : pick(near)?.id;
    const lines = [
      `${prefix === '' ? '' : `${prefix}: `}${pick(['wells', 'mills', `number ${n}`])}`,
      near.length > 0 && label !== '' ? `${label}: ${named}` : '',
      pick(['', '', '', 'Next update by (UTC): 2026-11-22', 'Next update by: never']),
      pick(['', `Outcome: ${outcome}`, `Outcome: ${outcome}`]),
      pick(['', 'Evidence: 3 lines', 'Evidence: 3 lines', 'Evidence:']),
      pick(['', '', 'Parts: one big; two; one small', 'Parts: two; one of four']),
      pick(['', 'Part: two', 'Part: one', 'Part: part one b; two', 'Part: one small one; two']),
      pick(['', '', '', `Trust: ${pick(MARKS)}`, `Distrust: ${pick(MARKS)}`]),
      ...(random.below(4) === 0 ? LINES.slice(random.below(3)) : []),
    ];
    const name = pick(NAMES);
    const mark = random.below(3) === 0 ? undefined : pick(MARKS);
    const parent = posts.length > 0 && random.below(5) > 0 ? pick(near) : undefined;
    const others = posts.filter(({ id, rootId }) => id === rootId && id !== parent?.rootId);
    const own = ofKeys.below(3) === 0 ? others[ofKeys.below(others.length)] : undefined;
    const given = {
      ...(name !== undefined && { name }),
      ...(mark !== undefined && { mark }),
      ...(mark !== undefined && own !== undefined && { sameKeyAs: [own.id] }),
    };
    const message = [...lines, own === undefined ? '' : `Same key as: ${own.id}`].filter(Boolean).join('\n');
    const post =
      parent === undefined
        ? aPost(message, given)
        : aReply(parent.id, message, { ...given, rootId: parent.rootId });
    const sameKeyAs = mark !== undefined && near.length > 0 && random.below(4) === 0 ? [pick(near).id] : [];
    const createdAt = new Date(RANDOM_START + n * MINUTE_MS).toISOString().replace('Z', '000Z');
    posts.push({ ...post, ...(sameKeyAs.length > 0 && { sameKeyAs }), createdAt });
  }
  return posts;
}

/** Who writes in the thread of `randomReviews`, the opener first. */
export const SIGNERS = ['1111111111aa', '2222222222bb', '3333333333cc', '4444444444dd', '5555555555ee'];
const REVIEWS = 90;

/** @returns posts of one thread, a minute apart: RESULTs, editions of them, and REVIEWs by five keys and by none */
export function randomReviews(seed: number): Post[] {
  const random = new SeededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const [opener] = SIGNERS as [string];
  const idea = aPost('IDEA: count the wells', { mark: opener });
  const posts = [idea];
  const results: Omit<Post, 'createdAt'>[] = [];
  // Mostly while many REVIEWs are to come, which count only if they are the opener's.
  const endsAt = random.below(4) === 0 ? Infinity : 20 + random.below(REVIEWS / 2);
  while (posts.length < REVIEWS) {
    const mark = random.below(12) === 0 ? undefined : pick([opener, ...SIGNERS]);
    const own = results.filter((result) => result.mark === mark && mark !== undefined);
    const isResult = results.length === 0 || random.below(5) === 0;
    const of = pick(random.below(3) === 0 ? results : results.slice(-4));
    const lines = isResult
      ? [
          `RESULT: counted ${posts.length}`,
          ...(own.length > 0 && random.below(2) === 0 ? [`Corrects: ${pick(own).id}`] : []),
        ]
      : [
          'REVIEW: checked',
          `Result being checked: ${of?.id}`,
          `Outcome: ${pick([...OUTCOMES, 'confirmed', 'confirmed', 'unclear'])}`,
          random.below(8) === 0 ? '' : 'Evidence: counted again',
          random.below(14) === 0 ? `Trust: ${pick(SIGNERS)}` : '',
          random.below(20) === 0 ? `Distrust: ${pick(SIGNERS)}` : '',
        ];
    const isEnd = posts.length === endsAt;
    const message = [...lines, isEnd ? `Ends: ${idea.id}` : ''].filter(Boolean).join('\n');
    const signed = isEnd ? opener : mark;
    const post = aReply(idea.id, message, { rootId: idea.id, ...(signed !== undefined && { mark: signed }) });
    posts.push(post);
    if (isResult) results.push(post);
  }
  return posts.map((post, n) => ({
    ...post,
    createdAt: new Date(RANDOM_START + n * MINUTE_MS).toISOString().replace('Z', '000Z'),
  }));
}
