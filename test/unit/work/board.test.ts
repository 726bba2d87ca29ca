import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toHeld, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import type { WorkList } from '#work/board.ts';
import { readStanding, reviewsOf, toSignature } from '#work/say.ts';
import { freeParts, judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
import type { Standing } from '#work/thread.ts';
import { boardOf, listWork, toSteps } from '../../support/derived-work.ts';
import { aPost, aReply } from '../../support/store/records.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-11-21T10:00:00.000Z');

const LINES = Array.from({ length: 12 }, (_, n) => `row ${n} of the table`);

type NewPost = Omit<Post, 'createdAt'>;

/** The steps of posts that are a minute apart, and the time of the last one. */
function stepsOf(posts: readonly NewPost[]): { steps: Step[]; now: number } {
  const dated = posts.map((post, n) => ({
    ...post,
    createdAt: new Date(START + n * MINUTE_MS).toISOString().replace('Z', '000Z'),
  }));
  return { steps: toSteps(dated), now: START + posts.length * MINUTE_MS };
}

function listed(posts: readonly NewPost[], list: WorkList, later = 0): string[] {
  const { steps, now } = stepsOf(posts);
  return listWork(boardOf(steps), now + later)[list].map(({ id }) => id);
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

  it('without a name and a key is nobody’s, so nothing ends it', () => {
    const nameless = under(idea, 'WORK: y');
    const later = [under(idea, 'RESULT: y'), under(idea, `Ends: ${nameless.id}`)];
    assert.deepEqual(listed([idea, nameless, ...later], 'working'), [nameless.id]);
  });

  const minted = { ...seven, mark: '1111111111AA' };
  const sent = { ...seven, mark: '1111111111aa' };
  const keyed = under(idea, 'WORK: x', minted);

  it('of a key ends by a message with the key, under any name', () => {
    const ending = under(idea, `Ends: ${keyed.id}`, { name: 'Eight', mark: sent.mark });
    assert.deepEqual(listed([idea, keyed, ending], 'working'), []);
  });

  it('goes on again once its key comes back, if a message without the key has ended it', () => {
    const posts = [idea, keyed, under(idea, `Ends: ${keyed.id}`, seven)];
    assert.deepEqual(listed(posts, 'working'), []);
    assert.deepEqual(listed([...posts, under(idea, 'here I am', sent)], 'working'), [keyed.id]);
  });

  it('that is unclaimed ends by a key under its name, whose first message is older', () => {
    const first = under(idea, 'IDEA: y', sent);
    const later = under(idea, 'WORK: x', { ...seven, mark: '2222222222BB' });
    const result = under(idea, 'RESULT: y', sent);
    assert.deepEqual(listed([idea, first, later, result], 'working'), []);
    assert.deepEqual(listed([idea, later, first, result], 'working'), [later.id]);
    const named = under(idea, `Ends: ${later.id}`, { name: 'Eight', mark: sent.mark });
    assert.deepEqual(listed([idea, first, later, named], 'working'), [later.id]);
  });

  it('takes each RESULT or IDEA on its line that says so, and without one what it replies to', () => {
    const [result, review] = [aPost('RESULT: r'), aPost('REVIEW: s')];
    const taking = under(idea, `WORK: see ${work.id}\nStep I am taking: check ${result.id}, ${review.id}`);
    const { works } = boardOf(stepsOf([idea, work, result, review, taking]).steps);
    assert.deepEqual(works.get(taking.id)?.takes, [result.id]);
    assert.deepEqual(works.get(work.id)?.takes, [idea.id]);
  });

  it('that others ended stays ended when a key comes back and changes what was ended before', () => {
    const cat = under(idea, 'WORK: x', { name: 'Cat' });
    const ending = under(idea, `done\nEnds: ${cat.id}`, { name: 'Cat' });
    const keyed = under(idea, 'WORK: x', { name: 'Ann', mark: '1111111111AA' });
    const plain = under(idea, 'WORK: x', { name: 'Ann' });
    const result = under(idea, 'RESULT: x', { name: 'Ann' });
    const back = under(idea, 'RESULT: y\nEnds: none', { name: 'Ann', mark: '1111111111aa' });
    const { steps } = stepsOf([idea, cat, ending, keyed, plain, result, back]);
    const board = boardOf(steps.slice(0, 6));
    const endOf = ({ id }: NewPost): string | undefined => statusOf(board.works.get(id)!).endedBy?.id;
    assert.deepEqual([endOf(cat), endOf(keyed), endOf(plain)], [ending.id, undefined, undefined]);
    board.add(steps[6]!);
    assert.deepEqual([endOf(cat), endOf(keyed), endOf(plain)], [ending.id, undefined, result.id]);
  });

  it('is due when a RESULT says that extends it', () => {
    const half = under(idea, 'RESULT: half\nNext update by (UTC): 2026-11-25', { name: 'Agent Seven' });
    const { steps } = stepsOf([idea, work, half]);
    const board = boardOf(steps.slice(0, 2));
    const changesAt = (now: number): number => {
      board.update(now, () => false);
      return board.changesAt;
    };
    assert.equal(changesAt(START), START + MINUTE_MS + DAY_MS);
    board.add(steps[2]!);
    // The time that was expected is not late; it is exact again once it has come.
    changesAt(START);
    assert.equal(changesAt(START + MINUTE_MS + DAY_MS), Date.parse('2026-11-26'));
  });
});

describe('an IDEA', () => {
  const idea = aPost('IDEA: x');
  const work = under(idea, 'WORK: x');
  const ann = { name: 'Ann' };

  it('is open until a WORK takes it, and again once that is overdue', () => {
    assert.deepEqual(listed([idea], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, work], 'ideas'), []);
    assert.deepEqual(listed([idea, work], 'ideas', DAY_MS), [idea.id]);
    assert.deepEqual(listed([idea, under(idea, 'REVIEW: no'), under(idea, 'plain')], 'ideas'), [idea.id]);
  });

  it('is done by a RESULT in its thread, until that is not confirmed', () => {
    const result = under(idea, 'RESULT: y', ann);
    const against = under(idea, 'REVIEW: r\nOutcome: not confirmed\nEvidence: row 3', {
      name: 'Bob',
      parentId: result.id,
    });
    assert.deepEqual(listed([idea, result], 'ideas'), []);
    assert.deepEqual(listed([idea, result, against], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, aPost(`RESULT: of ${idea.id}`)], 'ideas'), [idea.id]);
  });

  it('that is a reply is done only by a RESULT that replies to it or names it', () => {
    const own = under(idea, 'IDEA: y');
    assert.deepEqual(listed([idea, own, under(idea, 'RESULT: z')], 'ideas'), [own.id]);
    assert.deepEqual(listed([idea, own, under(idea, `RESULT: z of ${own.id}`)], 'ideas'), []);
  });

  it('is closed by a line Ends: of its author', () => {
    const signed = aPost('IDEA: x', ann);
    const ending = (name: string): NewPost => under(signed, `Ends: ${signed.id}`, { name });
    assert.deepEqual(listed([signed, ending('Bob')], 'ideas'), [signed.id]);
    assert.deepEqual(listed([signed, ending('Ann')], 'ideas'), []);
  });

  it('with the first line of another comes last, and resembles it until that is closed', () => {
    const first = aPost('IDEA: Test wells', ann);
    const [twin, third] = [aPost('IDEA: test wells!'), aPost('IDEA: mills')];
    const posts = [first, third, twin];
    assert.deepEqual(listed(posts, 'ideas'), [third.id, first.id, twin.id]);
    const resembles = { id: first.id, equal: 1, of: 1 };
    assert.deepEqual(readStanding(boardOf(stepsOf(posts).steps), twin.id), { resembles });
    const closed = [...posts, under(first, `Ends: ${first.id}`, ann)];
    assert.deepEqual(readStanding(boardOf(stepsOf(closed).steps), twin.id), {});
  });
});

describe('an IDEA with parts', () => {
  const idea = aPost('IDEA: x\nParts: A wells; B mills; part 3: bridges of wood');
  const free = (posts: readonly NewPost[], later = 0): string[] => {
    const { steps, now } = stepsOf([idea, ...posts]);
    return freeParts(boardOf(steps).ideas.get(idea.id)!, now + later);
  };
  const all = ['A wells', 'B mills', 'part 3: bridges of wood'];
  const taking = (part: string): NewPost => under(idea, `WORK: x\nPart: ${part}`);

  it('has free parts until WORKs take them, for 24 hours at most', () => {
    assert.deepEqual(free([]), all);
    assert.deepEqual(free([under(idea, 'WORK: x')]), all);
    const long = under(idea, 'WORK: x\nPart: a WELLS\nNext update by (UTC): 2026-11-30');
    assert.deepEqual(free([long]), all.slice(1));
    assert.deepEqual(free([long], DAY_MS), all);
  });

  it('gives a part for equal words, or for those with which only one begins', () => {
    assert.deepEqual(free([taking('part b')]), [all[0], all[2]]);
    assert.deepEqual(free([taking('3')]), all.slice(0, 2));
    assert.deepEqual(free([taking('mills')]), all);
    assert.deepEqual(free([taking('A; B; 3')]), all.slice(2));
  });

  it('loses a part to a RESULT that is not rejected', () => {
    const result = under(idea, 'RESULT: y\nPart: A', { name: 'Ann' });
    const against = under(idea, 'REVIEW: r\nOutcome: not confirmed\nEvidence: row 3', {
      name: 'Bob',
      parentId: result.id,
    });
    assert.deepEqual(free([result]), all.slice(1));
    assert.deepEqual(free([result, against]), all);
    assert.deepEqual(listed([idea, under(idea, 'RESULT: y')], 'ideas'), [idea.id]);
  });
});

describe('a RESULT', () => {
  const [ann, bob] = [{ name: 'Ann' }, { name: 'Bob' }];
  const idea = aPost('IDEA: x');
  const signed = under(idea, 'RESULT: 3', ann);
  const review = (outcome: string, given: Partial<Post> = bob, evidence = '\nEvidence: 3 rows'): NewPost =>
    under(idea, `REVIEW: r\nOutcome: ${outcome}${evidence}`, { parentId: signed.id, ...given });
  const correction = (given: Partial<Post>): NewPost =>
    under(idea, `RESULT: y\nCorrects: ${signed.id}`, given);
  const key = (name: string, mark: string): Partial<Post> => ({ name, mark });
  const [eve, bobsKey] = [{ name: 'Eve' }, key('Bob', '1111111111aa')];
  const confirmed = review('confirmed');

  const cases: [standing: Standing, when: string, posts: NewPost[]][] = [
    ['confirmed', 'a REVIEW of another confirms it', [confirmed]],
    ['confirmed', 'such a REVIEW ends its line with a stop', [review('Confirmed.')]],
    ['unreviewed', 'the line of its outcome says more', [review('confirmed, but not row 17')]],
    ['partly', 'another confirms a part', [confirmed, review('partly confirmed', eve)]],
    ['notConfirmed', 'all say so', [review('not confirmed'), review('not confirmed', eve)]],
    ['contested', 'one says so', [review('not confirmed'), review('confirmed', eve)]],
    ['unreviewed', 'a REVIEW has no evidence', [review('confirmed', bob, '')]],
    ['unreviewed', 'its evidence says nothing', [review('confirmed', bob, '\nEvidence:')]],
    ['unreviewed', 'a REVIEW has two outcomes', [review('confirmed\nOutcome: not confirmed')]],
    ['unreviewed', 'a REVIEW has no name and no key', [review('confirmed', {})]],
    ['unreviewed', 'only its author confirms it', [review('confirmed', { name: 'ANN' })]],
    ['confirmed', 'a REVIEW without a name has a key', [review('confirmed', { mark: '1111111111aa' })]],
    ['withdrawn', 'its author withdraws it', [confirmed, review('withdrawn', ann, '')]],
    ['withdrawn', 'its author does not confirm it', [review('not confirmed', ann, '')]],
    ['unreviewed', 'another says withdrawn', [review('withdrawn')]],
    ['replaced', 'its author corrects it', [confirmed, correction(ann)]],
    ['confirmed', 'another corrects it', [confirmed, correction(bob)]],
    [
      'confirmed',
      'its author corrects it from elsewhere',
      [confirmed, aPost(`RESULT: y\nCorrects: ${signed.id}`, ann)],
    ],
    ['confirmed', 'a RESULT cites it', [confirmed, under(idea, `RESULT: y, see ${signed.id}`, ann)]],
    [
      'unreviewed',
      'a REVIEW stands in another thread',
      [aPost(`REVIEW: of ${signed.id}\nOutcome: confirmed\nEvidence: x`, bob)],
    ],
    [
      'confirmed',
      'of one key the newest REVIEW counts',
      [review('not confirmed', key('Bob', '1111111111AA')), review('confirmed', key('Eve', '1111111111aa'))],
    ],
    [
      'unreviewed',
      'a key takes its REVIEW back',
      [review('not confirmed', bobsKey), review('withdrawn', bobsKey, '')],
    ],
    [
      'contested',
      'unclaimed REVIEWs of one name stand beside each other',
      [review('not confirmed'), review('withdrawn'), confirmed],
    ],
  ];
  for (const [standing, when, posts] of cases)
    it(`is ${standing} when ${when}`, () => {
      const { results } = boardOf(stepsOf([idea, signed, ...posts]).steps);
      assert.equal(judge(results.get(signed.id)!).standing, standing);
    });

  it('stands again once the RESULT that replaces it is withdrawn', () => {
    const later = correction(ann);
    const withdrawal = under(idea, 'REVIEW: r\nOutcome: withdrawn', { ...ann, parentId: later.id });
    const { results } = boardOf(stepsOf([idea, signed, later, withdrawal]).steps);
    assert.equal(judge(results.get(signed.id)!).standing, 'unreviewed');
  });

  it('of a key is not withdrawn under its name, once the key has come back', () => {
    const keyed = under(idea, 'RESULT: 4', key('Ann', '1111111111AA'));
    const withdrawal = under(idea, 'REVIEW: r\nOutcome: withdrawn', { ...ann, parentId: keyed.id });
    const back = under(idea, 'WORK: x', key('Ann', '1111111111aa'));
    const derived = boardOf(stepsOf([idea, keyed, withdrawal]).steps);
    const result = derived.results.get(keyed.id)!;
    assert.equal(judge(result).standing, 'withdrawn');
    derived.add(stepsOf([idea, keyed, withdrawal, back]).steps.at(-1)!);
    assert.equal(judge(result).standing, 'unreviewed');
  });

  it('is judged by a REVIEW that names it first on its line, else replies to it, else names it first', () => {
    const other = under(idea, 'RESULT: 5', ann);
    const judged = (message: string, parentId = idea.id): string[] => {
      const text = `REVIEW: ${message}\nOutcome: confirmed\nEvidence: x`;
      return listed([idea, signed, other, under(idea, text, { ...bob, parentId })], 'confirmed');
    };
    assert.deepEqual(judged(`\nChecked: ${other.id} and ${signed.id}`, signed.id), [other.id]);
    assert.deepEqual(judged('\nChecked: rows 1 to 9', signed.id), [signed.id]);
    assert.deepEqual(judged(`of ${other.id} and ${signed.id}`), [other.id]);
  });

  it('names five reasons, outcomes in turn and claimed ones first, and corrections by others', () => {
    const reviews = [
      review('confirmed'),
      review('confirmed', eve),
      review('confirmed', key('Fay', '1111111111aa')),
      review('partly confirmed', { name: 'Gil' }),
      ...['Hal', 'Ida', 'Jan'].map((name) => review('not confirmed', { name })),
    ];
    const [first, second] = [correction(bob), correction({ name: 'Kim' })];
    const work = boardOf(stepsOf([idea, signed, ...reviews, first, second]).steps);
    const { standing, because = [], more, reviewed, correctedBy } = readStanding(work, signed.id);
    const names = new Map(reviews.map(({ id, name }) => [id, name]));
    assert.deepEqual(
      because.map(({ id, outcome }) => `${names.get(id)}: ${outcome}`),
      [
        'Hal: not confirmed',
        'Gil: partly confirmed',
        'Fay: confirmed',
        'Ida: not confirmed',
        'Bob: confirmed',
      ],
    );
    assert.deepEqual([standing, more, reviewed], ['contested', true, { confirmed: 3, partly: 1, not: 3 }]);
    assert.deepEqual(
      correctedBy,
      [second, first].map(({ id }) => ({ id, standing: 'unreviewed' })),
    );
    assert.equal(reviewsOf(work, signed.id)[2]?.mark, '1111111111aa');
  });

  it('that has most lines of another comes last while it is unreviewed', () => {
    const rows = (last: number): string => [...LINES, `row ${last}`].join('\n');
    const original = under(idea, `RESULT: alpha\n${rows(90)}`, ann);
    const copy = under(idea, `RESULT: omega\n${rows(91)}`, bob);
    const third = under(idea, 'RESULT: c', bob);
    const posts = [idea, original, third, copy];
    assert.deepEqual(listed(posts, 'unreviewed'), [third.id, original.id, copy.id]);
    const { resembles } = readStanding(boardOf(stepsOf(posts).steps), copy.id);
    assert.deepEqual(resembles, { id: original.id, equal: 12, of: 14 });
    const own = under(idea, `RESULT: omega\n${rows(91)}`, ann);
    const { steps } = stepsOf([idea, original, own]);
    assert.equal(readStanding(boardOf(steps), own.id).resembles, undefined);
  });
});

describe('the correction of a RESULT that was copied', () => {
  const rows = (last: number): string => [...LINES, `row ${last}`].join('\n');
  const [ann, fern] = [{ name: 'Ann' }, { name: 'Fern' }];
  const idea = aPost('IDEA: x');
  const original = under(idea, `RESULT: alpha\n${rows(90)}`, ann);
  const copy = under(idea, `RESULT: omega\n${rows(91)}\nCorrects: ${original.id}`, fern);
  const correction = under(idea, `RESULT: beta\n${rows(92)}\nCorrects: ${original.id}`, ann);

  it('resembles no copy of what it corrects, also one that says that it corrects the same', () => {
    const work = boardOf(stepsOf([idea, original, copy, correction]).steps);
    assert.equal(readStanding(work, correction.id).resembles, undefined);
    assert.equal(judge(work.results.get(original.id)!).standing, 'replaced');
  });
});

describe('a name', () => {
  const idea = aPost('IDEA: x');
  const first = under(idea, 'WORK: x', { name: 'Alder', mark: '1111111111AA' });
  const alike = under(idea, 'RESULT: y', { name: 'Аlder', mark: '2222222222aa' });
  const back = under(idea, 'WORK: z', { name: 'Alder', mark: '1111111111aa' });
  const createdAt = '2026-11-21T10:00:00.000000Z';

  it('is kept for the key of the first message that looks like it, once that is claimed', () => {
    const board = boardOf(stepsOf([idea, first, alike, back]).steps);
    const signatureOf = (post: NewPost): unknown => toSignature(board.authorOf({ ...post, createdAt }));
    assert.deepEqual(signatureOf(first), { mark: '1111111111aa' });
    assert.deepEqual(signatureOf(alike), { mark: '2222222222aa', namesakeOf: first.id });
    assert.deepEqual(signatureOf(under(idea, 'x', { name: 'alder' })), { namesakeOf: first.id });
    assert.deepEqual(signatureOf(aPost('x', { name: 'alder' })), {});
  });

  it('is kept while reports hold the message that claims the first one, whose RESULT nobody else withdraws', () => {
    const first = under(idea, 'RESULT: 4', { name: 'Alder', mark: '1111111111AA' });
    const claim = under(idea, 'WORK: x', { name: 'Alder', mark: '1111111111aa' });
    const forged = under(idea, 'REVIEW: r\nOutcome: withdrawn', { name: 'Alder', parentId: first.id });
    const steps = stepsOf([idea, first, claim, forged]).steps.map((step) =>
      step.id === claim.id ? toHeld(step) : step,
    );
    const board = boardOf(steps);
    const { results, works } = board;
    assert.equal(judge(results.get(first.id)!).standing, 'unreviewed');
    assert.deepEqual(toSignature(board.authorOf(steps[1]!)), { mark: '1111111111aa' });
    assert.equal(toSignature(board.authorOf(steps[3]!)).namesakeOf, first.id);
    assert.equal(works.size, 0);
  });

  it('has no owner while its first message is unclaimed', () => {
    const board = boardOf(stepsOf([idea, first, alike]).steps);
    assert.deepEqual(toSignature(board.authorOf({ ...alike, createdAt })), { mark: '2222222222aa' });
  });
});
