import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readStepFacts, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { readReviews, readStanding } from '#workspace/work/reviews.ts';
import { deriveWork, listWork, nextChange } from '#workspace/work/derive-work.ts';
import { aPost, aReply } from '../../../support/store/records.ts';
import { workByHand } from '../../../support/work-by-hand.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-11-21T10:00:00.000Z');

type NewPost = Omit<Post, 'createdAt'>;

/** The steps of posts that are a minute apart, and the time of the last one. */
function stepsOf(posts: readonly NewPost[]): { steps: Step[]; now: number } {
  const steps = posts.flatMap((post, n): Step[] => {
    const createdAt = new Date(START + n * MINUTE_MS).toISOString().replace('Z', '000Z');
    const facts = readStepFacts({ ...post, createdAt });
    const { id, parentId, rootId } = post;
    return facts === null ? [] : [{ id, prefix: post.prefix, parentId, rootId, createdAt, ...facts }];
  });
  return { steps, now: START + posts.length * MINUTE_MS };
}

function listed(posts: readonly NewPost[], list: WorkList, later = 0): string[] {
  const { steps, now } = stepsOf(posts);
  return listWork(deriveWork(steps), now + later)[list].map(({ id }) => id);
}

/** A reply in the thread of an idea. */
const under = (root: NewPost, message: string, given: Partial<Post> = {}): NewPost =>
  aReply(given.parentId ?? root.id, message, { rootId: root.id, ...given });

describe('a WORK', () => {
  const idea = aPost('IDEA: x');
  const work = under(idea, 'WORK: x', { name: 'Agent Seven' });

  it('is under way until its due time, overdue for two weeks, and then on no list', () => {
    const posts = [idea, work];
    const due = 24 * HOUR_MS - MINUTE_MS;
    assert.deepEqual(listed(posts, 'working', due - 1), [work.id]);
    assert.deepEqual(listed(posts, 'working', due), []);
    assert.deepEqual(listed(posts, 'overdue', due), [work.id]);
    assert.deepEqual(listed(posts, 'overdue', due + 14 * DAY_MS), [work.id]);
    assert.deepEqual(listed(posts, 'overdue', due + 14 * DAY_MS + 1), []);
  });

  const seven = { name: 'Agent Seven' };
  const endings: [name: string, later: NewPost[], hasEnded: boolean][] = [
    ['a RESULT of its name in its thread', [under(idea, 'RESULT: y', { name: 'ａｇｅｎｔ SEVEN' })], true],
    ['such a RESULT that says "Ends: none"', [under(idea, 'RESULT: y\nEnds: none', seven)], false],
    ['such a RESULT that corrects another', [under(idea, `RESULT: y\nCorrects: ${idea.id}`, seven)], false],
    ['a REVIEW of its name in its thread', [under(idea, 'REVIEW: y', { name: 'agentseven' })], false],
    ['a RESULT of its name elsewhere', [aPost(`RESULT: of ${work.id}`, seven)], false],
    ['a RESULT of another that names it', [under(idea, `RESULT: of ${work.id}`, { name: 'Eight' })], false],
    ['a nameless RESULT that replies to it', [under(idea, 'RESULT: y', { parentId: work.id })], false],
    ['a WORK of its name that names it', [under(idea, `WORK: after ${work.id}`, seven)], false],
    ['a plain reply', [under(idea, 'fine', { ...seven, parentId: work.id })], false],
    ['a plain message of its name that ends it', [under(idea, `- **Ends:** ${work.id}`, seven)], true],
    [
      'an IDEA of its name in its thread that ends it',
      [under(idea, `IDEA: z\nEnds: ${work.id}`, seven)],
      true,
    ],
    ['a message of another that ends it', [under(idea, `Ends: ${work.id}`, { name: 'Eight' })], false],
    ['a nameless message that ends it', [under(idea, `Ends: ${work.id}`)], false],
    ['a message of its name elsewhere that ends it', [aPost(`Ends: ${work.id}`, seven)], false],
    ['a quotation of such a line', [under(idea, `> Ends: ${work.id}`, seven)], false],
    ['such a line in a block of code', [under(idea, `~~~\nEnds: ${work.id}\n~~~`, seven)], false],
    ['such a line without a colon', [under(idea, `Ends ${work.id}`, seven)], false],
    [
      'a RESULT with a due line',
      [under(idea, 'RESULT: half\nNext update by (UTC): 2026-11-25', seven)],
      false,
    ],
  ];
  for (const [name, later, hasEnded] of endings)
    it(`${hasEnded ? 'ends' : 'goes on'} after ${name}`, () => {
      assert.equal(listed([idea, work, ...later], 'working').includes(work.id), !hasEnded);
    });

  it('goes on after a RESULT if its author has several, until one is named', () => {
    const second = under(idea, 'WORK: y', seven);
    const result = under(idea, 'RESULT: y', seven);
    const named = under(idea, `RESULT: z\nEnds: ${work.id}`, seven);
    assert.deepEqual(listed([idea, work, second, result], 'working'), [second.id, work.id]);
    assert.deepEqual(listed([idea, work, second, result, named], 'working'), [second.id]);
    assert.deepEqual(listed([idea, work, second, result, named, { ...result, id: 'post_z' }], 'working'), []);
  });

  it('without a name ends only by a message without one that names it', () => {
    const nameless = under(idea, 'WORK: y');
    assert.deepEqual(listed([idea, nameless, under(idea, 'RESULT: y')], 'working'), [nameless.id]);
    assert.deepEqual(listed([idea, nameless, under(idea, `Ends: ${nameless.id}`, seven)], 'working'), [
      nameless.id,
    ]);
    assert.deepEqual(listed([idea, nameless, under(idea, `Ends: ${nameless.id}`)], 'working'), []);
  });

  it('takes what it replies to, and each RESULT or IDEA on its line that says so', () => {
    const [result, review] = [aPost('RESULT: r'), aPost('REVIEW: s')];
    const taking = under(idea, `WORK: see ${work.id}\nStep I am taking: check ${result.id}, ${review.id}`);
    const { steps } = stepsOf([idea, work, result, review, taking]);
    assert.deepEqual(deriveWork(steps).works.get(taking.id)?.takes, [idea.id, result.id]);
  });

  it('is due when a RESULT says that extends it', () => {
    const half = under(idea, 'RESULT: half\nNext update by (UTC): 2026-11-25', { name: 'Agent Seven' });
    const { steps } = stepsOf([idea, work, half]);
    const derived = deriveWork(steps);
    assert.equal(nextChange(derived, START), Date.parse('2026-11-26'));
    assert.equal(nextChange(deriveWork(steps.slice(0, 2)), START), START + MINUTE_MS + DAY_MS);
  });
});

describe('an IDEA', () => {
  const idea = aPost('IDEA: x');
  const work = under(idea, 'WORK: x');
  const elsewhere = aPost(`WORK: on it\nStep I am taking: the first one of ${idea.id}`, { name: 'Ann' });

  it('is open until a WORK takes it, and again once that is overdue', () => {
    assert.deepEqual(listed([idea], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, work], 'ideas'), []);
    assert.deepEqual(listed([idea, work], 'ideas', DAY_MS), [idea.id]);
    assert.deepEqual(listed([idea, under(idea, 'REVIEW: no'), under(idea, 'plain')], 'ideas'), [idea.id]);
  });

  const closings: [string, NewPost[]][] = [
    ['stands in its thread', [under(idea, 'RESULT: y', { parentId: work.id })]],
    ['ends a WORK that takes it', [elsewhere, under(elsewhere, 'RESULT: y', { name: 'Ann' })]],
  ];
  for (const [name, posts] of closings)
    it(`is closed by a RESULT that ${name}`, () => {
      assert.deepEqual(listed([idea, ...posts], 'ideas', 60 * DAY_MS), []);
    });

  it('is not closed by a RESULT that only names it', () => {
    assert.deepEqual(listed([idea, aPost(`RESULT: of ${idea.id}`)], 'ideas'), [idea.id]);
  });
});

describe('a RESULT', () => {
  const [first, second] = [aPost('RESULT: 1'), aPost('RESULT: 2')];
  const unreviewedAfter = (...reviews: NewPost[]): string[] =>
    listed([first, second, ...reviews], 'unreviewed');

  it('is unreviewed until a REVIEW says that it checked it, replies to it, or names it without saying what it checked', () => {
    const both = [second.id, first.id];
    assert.deepEqual(unreviewedAfter(aPost('REVIEW: of something')), both);
    assert.deepEqual(unreviewedAfter(aPost(`REVIEW: ${first.id} and ${second.id}`)), []);
    assert.deepEqual(unreviewedAfter(aPost(`REVIEW:\nWhat I checked: ${first.id}\nLegend: ${second.id}`)), [
      second.id,
    ]);
    assert.deepEqual(unreviewedAfter(aReply(second.id, `REVIEW:\n- **Checked:** ${first.id}`)), []);
    assert.deepEqual(
      unreviewedAfter(aReply(second.id, `REVIEW:\nChecked: rows 1 to 9, not ${'\n'}${first.id}`)),
      [first.id],
    );
  });

  it('is disputed once a REVIEW does not confirm it, until a later RESULT takes it up', () => {
    const disputedAfter = (...posts: NewPost[]): string[] => listed([first, ...posts], 'disputed');
    const review = aReply(first.id, 'REVIEW: no\n**Outcome:** Not confirmed, row 3 differs');
    assert.deepEqual(disputedAfter(aReply(first.id, 'REVIEW: yes\nOutcome: confirmed')), []);
    assert.deepEqual(disputedAfter(aReply(first.id, 'REVIEW: half\nOutcome: partly confirmed')), []);
    assert.deepEqual(disputedAfter(review), [first.id]);
    assert.deepEqual(disputedAfter(review, aPost(`RESULT: again, see ${first.id}`)), []);
  });

  const [ann, bob] = [{ name: 'Ann' }, { name: 'Bob' }];
  const signed = aPost('RESULT: 3', ann);

  it('has a later result of its name that replies to it or says that it corrects it, and is corrected by others', () => {
    const saidOf = (result: NewPost, ...posts: NewPost[]): unknown => {
      const said = deriveWork(stepsOf([result, ...posts]).steps).results.get(result.id);
      return [said?.laterResult, said?.correctedBy.map(({ id }) => id)];
    };
    const corrected = aPost(`RESULT: y\nCorrects: ${signed.id}`, ann);
    const reply = aReply(signed.id, 'RESULT: z', { name: 'ann' });
    assert.deepEqual(saidOf(signed, aPost(`RESULT: cites ${signed.id}`, ann)), [null, []]);
    assert.deepEqual(saidOf(signed, corrected), [corrected.id, []]);
    assert.deepEqual(saidOf(signed, corrected, reply), [reply.id, []]);
    const ofBob = aPost(`RESULT: wrong\nCorrects: ${signed.id}`, bob);
    assert.deepEqual(saidOf(signed, ofBob, aReply(signed.id, 'RESULT: more', bob)), [null, [ofBob.id]]);
    const nameless = aPost(`RESULT: y\nCorrects: ${first.id}`);
    assert.deepEqual(saidOf(first, nameless, aReply(first.id, 'RESULT: z')), [null, [nameless.id]]);
  });

  const confirmed = (given: Partial<Post>, outcome = 'confirmed'): NewPost =>
    aReply(signed.id, `REVIEW: r\nOutcome: ${outcome}`, given);
  const judgements: [name: string, isListed: boolean, posts: NewPost[]][] = [
    ['a REVIEW of another name confirms it', true, [confirmed(bob)]],
    ['such a REVIEW ends its line with a stop', true, [confirmed(bob, 'Confirmed.')]],
    ['its line says more', false, [confirmed(bob, 'confirmed, but not row 17')]],
    ['only its author confirms it', false, [confirmed({ name: 'ANN' })]],
    ['only somebody without a name confirms it', false, [confirmed({})]],
    ['a REVIEW confirms a part', false, [confirmed(bob), confirmed({}, 'partly confirmed')]],
    ['a REVIEW does not confirm it', false, [confirmed({ name: 'Eve' }, 'not confirmed'), confirmed(bob)]],
    ['its author withdraws it', false, [confirmed(bob), confirmed(ann, 'withdrawn')]],
    ['another withdraws a REVIEW', true, [confirmed(bob), confirmed({ name: 'Eve' }, 'withdrawn')]],
    ['its author replaces it', false, [confirmed(bob), aPost(`RESULT: y\nCorrects: ${signed.id}`, ann)]],
    ['another corrects it', false, [confirmed(bob), aPost(`RESULT: y\nCorrects: ${signed.id}`, bob)]],
    ['another cites it', true, [confirmed(bob), aPost(`RESULT: y, see ${signed.id}`, bob)]],
  ];
  for (const [name, isListed, posts] of judgements)
    it(`is ${isListed ? '' : 'not '}confirmed when ${name}`, () => {
      assert.deepEqual(listed([signed, ...posts], 'confirmed'), isListed ? [signed.id] : []);
    });

  it('is the one confirmed result of its thread if it is the newest', () => {
    const idea = aPost('IDEA: x');
    const results = [1, 2].map((n) => under(idea, `RESULT: ${n}`, ann));
    const reviews = results.map(({ id }) => under(idea, `REVIEW:\nChecked: ${id}\nOutcome: confirmed`, bob));
    assert.deepEqual(listed([idea, ...results, ...reviews], 'confirmed'), [results[1]!.id]);
  });

  it('counts of each name the newest REVIEW with an outcome, and shows the worst first', () => {
    const reviews = [
      confirmed(bob, 'not confirmed'),
      confirmed({ name: 'Eve' }, 'not confirmed'),
      confirmed({}),
      confirmed({}, 'confirmed'),
      confirmed({ name: 'bob' }),
      confirmed({ name: 'Eve' }, 'later'),
      ...['Fay', 'Gil', 'Hal', 'Ida'].map((name) => confirmed({ name })),
      confirmed({ name: 'Gil' }, 'withdrawn'),
    ].map((post, n): NewPost => ({ ...post, id: `post_review${n}` }));
    const work = deriveWork(stepsOf([signed, ...reviews]).steps);
    assert.deepEqual(readStanding(work, signed.id), { reviewed: { confirmed: 5, partly: 0, not: 1 } });
    assert.deepEqual(
      readReviews(work, signed.id).reviews.map(({ name, outcome }) => `${name}: ${outcome}`),
      ['Eve: not confirmed', 'Ida: confirmed', 'Hal: confirmed', 'Fay: confirmed', 'bob: confirmed'],
    );
  });
});

for (const seed of [1, 2, 3, 4])
  it(`derives from random posts of seed ${seed} what the sentences of the documentation say`, () => {
    const random = new SeededRandom(seed);
    const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
    const posts: NewPost[] = [];
    for (let n = 0; n < 150; n++) {
      const label = pick([
        '',
        '',
        '\nChecked: ',
        '\nCorrects: ',
        '\nEnds: ',
        '\nStep I am taking: ',
        '\nsee ',
      ]);
      const named = posts.length > 0 && label !== '' ? `${label}${pick(posts).id}` : '';
      const due = pick(['', '', '', '\nNext update by (UTC): 2026-11-22', '\nNext update by: never']);
      const outcome = pick(['', '\nOutcome: not confirmed', '\nOutcome: withdrawn', '\nOutcome: confirmed']);
      const message = `${pick(['IDEA', 'WORK', 'WORK', 'WORK', 'RESULT', 'RESULT', 'REVIEW', 'CHANGE'])}: x${named}${due}${outcome}`;
      const name = pick(['Ann', ' ann ', 'Bob', undefined]);
      const given = name === undefined ? {} : { name };
      const parent = posts.length > 0 && random.below(4) > 0 ? pick(posts) : undefined;
      posts.push(
        parent === undefined
          ? aPost(message, given)
          : aReply(parent.id, message, { ...given, rootId: parent.rootId }),
      );
    }
    const { steps } = stepsOf(posts);
    for (const now of [START + HOUR_MS, START + DAY_MS + HOUR_MS, START + 5 * DAY_MS, START + 60 * DAY_MS]) {
      const derived = deriveWork(steps);
      const lists = listWork(derived, now);
      const expected = workByHand(steps, now);
      for (const list of WORK_LISTS)
        assert.deepEqual(
          lists[list].map(({ id }) => id),
          expected.lists[list],
          `${list} at ${now}`,
        );
      for (const [id, at] of Object.entries(expected.dueAt)) assert.equal(derived.works.get(id)?.due.at, at);
      for (const [id, { reviews, laterResult, correctedBy }] of derived.results) {
        assert.deepEqual(
          correctedBy.map((one) => one.id),
          expected.correctedBy[id],
        );
        assert.deepEqual(reviews.map((review) => review.id).reverse(), expected.reviews[id]);
        assert.equal(laterResult, expected.laterResult[id]);
      }
    }
  });
