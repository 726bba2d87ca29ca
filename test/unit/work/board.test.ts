import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '#store/port/records.ts';
import type { WorkList } from '#work/work-lists.ts';
import { toSignature } from '#work/standing-view.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
import type { Standing } from '#work/thread.ts';
import { boardOf, listWork } from '../../support/derived-work.ts';
import { aPost } from '../../support/store/records.ts';
import { type NewPost, MINUTE_MS, START, stepsOf, under } from '../../support/threads.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function listed(posts: readonly NewPost[], list: WorkList, later = 0): string[] {
  const now = START + posts.length * MINUTE_MS;
  return listWork(boardOf(stepsOf(posts)), now + later)[list].map(({ id }) => id);
}

describe('a WORK', () => {
  const idea = aPost('IDEA: x');
  const seven = { name: 'Agent Seven', mark: '777777777777' };
  const work = under(idea, 'WORK: x', seven);

  it('is under way until its due time, overdue for two weeks, and then on no list', () => {
    const posts = [idea, work];
    const due = 24 * HOUR_MS - MINUTE_MS;
    assert.deepEqual(listed(posts, 'working', due - 1), [work.id]);
    assert.deepEqual(listed(posts, 'working', due), []);
    assert.deepEqual(listed(posts, 'overdue', due), [work.id]);
    assert.deepEqual(listed(posts, 'overdue', due + 14 * DAY_MS), [work.id]);
    assert.deepEqual(listed(posts, 'overdue', due + 14 * DAY_MS + 1), []);
  });

  it('of a trusted writer is due after 30 days at most, and listed before those of others', () => {
    const [opened, far] = [aPost('IDEA: x', seven), 'WORK: x\nNext update by (UTC): 2027-12-20'];
    const [own, other] = [under(opened, far, seven), under(opened, far, { mark: '888888888888' })];
    assert.deepEqual(listed([opened, own, other], 'working'), [own.id, other.id]);
    assert.deepEqual(listed([opened, own, other], 'working', DAY_MS), [own.id]);
    assert.deepEqual(listed([opened, own, other], 'working', 30 * DAY_MS), []);
  });

  const eight = { name: 'Agent Seven', mark: '888888888888' };
  const endings: [name: string, later: NewPost[], hasEnded: boolean][] = [
    ['a RESULT of its key in its thread', [under(idea, 'RESULT: y', { ...seven, name: 'Eight' })], true],
    ['such a RESULT that says "Ends: none"', [under(idea, 'RESULT: y\nEnds: none', seven)], false],
    ['such a RESULT that corrects another', [under(idea, `RESULT: y\nCorrects: ${idea.id}`, seven)], false],
    ['a REVIEW of its key in its thread', [under(idea, 'REVIEW: y', seven)], false],
    ['a RESULT of its name without its key', [under(idea, 'RESULT: y', { name: 'Agent Seven' })], false],
    ['a RESULT of another key that names it', [under(idea, `RESULT: of ${work.id}`, eight)], false],
    ['a WORK of its key that names it', [under(idea, `WORK: after ${work.id}`, seven)], false],
    ['a plain reply', [under(idea, 'fine', { ...seven, parentId: work.id })], false],
    ['a plain message of its key that ends it', [under(idea, `- **Ends:** ${work.id}`, seven)], true],
    ['an IDEA of its key that ends it', [under(idea, `IDEA: z\nEnds: ${work.id}`, seven)], true],
    ['a message of another key that ends it', [under(idea, `Ends: ${work.id}`, eight)], false],
    ['a message of its name that ends it', [under(idea, `Ends: ${work.id}`, { name: 'Agent Seven' })], false],
    ['a nameless message that ends it', [under(idea, `Ends: ${work.id}`)], false],
    ['a message of its key elsewhere that ends it', [aPost(`Ends: ${work.id}`, seven)], false],
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

  const unsigned = under(idea, 'WORK: y', { name: 'Agent Seven' });
  const unsignedEndings: [name: string, later: NewPost, hasEnded: boolean][] = [
    ['a RESULT without a key that has its name', under(idea, 'RESULT: y', { name: 'agent seven' }), true],
    ['a RESULT without a key that names it', under(idea, `RESULT: of ${unsigned.id}`), true],
    ['a RESULT without a key that replies to it', under(idea, 'RESULT: y', { parentId: unsigned.id }), true],
    [
      'such a RESULT that states a later update',
      under(idea, 'RESULT: y\nNext update by (UTC): 2026-11-25', { name: 'Agent Seven' }),
      false,
    ],
    [
      'such a RESULT that says "Ends: none"',
      under(idea, 'RESULT: y\nEnds: none', { name: 'Agent Seven' }),
      false,
    ],
    ['a RESULT of another name', under(idea, 'RESULT: y', { name: 'Eight' }), false],
    ['a RESULT without a name', under(idea, 'RESULT: y'), false],
    ['a RESULT with a key', under(idea, `RESULT: of ${unsigned.id}`, seven), false],
    ['a RESULT of another thread', aPost(`RESULT: of ${unsigned.id}`, { name: 'Agent Seven' }), false],
    ['another message that says so', under(idea, `Ends: ${unsigned.id}`, { name: 'Agent Seven' }), false],
  ];
  for (const [name, later, hasEnded] of unsignedEndings)
    it(`without a key ${hasEnded ? 'ends' : 'goes on'} after ${name}`, () => {
      assert.equal(listed([idea, unsigned, later], 'working').length, Number(!hasEnded));
    });

  it('of a mark in capitals ends by a message with that mark, under any name', () => {
    const keyed = under(idea, 'WORK: x', { name: 'Agent Seven', mark: '1111111111AA' });
    const ending = under(idea, `Ends: ${keyed.id}`, { name: 'Eight', mark: '1111111111aa' });
    assert.deepEqual(listed([idea, keyed, ending], 'working'), []);
  });

  it('takes each RESULT or IDEA on its line that says so, and without one what it replies to', () => {
    const [result, review] = [under(idea, 'RESULT: r'), under(idea, 'REVIEW: s')];
    const taking = under(idea, `WORK: see ${work.id}\nStep I am taking: check ${result.id}, ${review.id}`);
    const { works } = boardOf(stepsOf([idea, work, result, review, taking]));
    assert.deepEqual(works.get(taking.id)?.takes, [result.id]);
    assert.deepEqual(works.get(work.id)?.takes, [idea.id]);
  });

  it('is due when a RESULT says that extends it', () => {
    const half = under(idea, 'RESULT: half\nNext update by (UTC): 2026-11-25', seven);
    const steps = stepsOf([{ ...idea, mark: seven.mark }, work, half]);
    const board = boardOf(steps.slice(0, 2));
    const changesAt = (now: number): number => {
      board.update(now, () => false);
      return board.lists.changesAt;
    };
    assert.equal(changesAt(START), START + MINUTE_MS + DAY_MS);
    board.add(steps[2]!);
    // The time that was expected is not late; it is exact again once it has come.
    changesAt(START);
    assert.equal(changesAt(START + MINUTE_MS + DAY_MS), Date.parse('2026-11-26'));
    const outside = boardOf(stepsOf([idea, work, half]));
    assert.equal(statusOf(outside.works.get(work.id)!).dueAt, START + 2 * MINUTE_MS + DAY_MS);
  });
});

describe('an IDEA', () => {
  const [ann, bob] = [
    { name: 'Ann', mark: 'aaaaaaaaaaaa' },
    { name: 'Bob', mark: 'bbbbbbbbbbbb' },
  ];
  const idea = aPost('IDEA: x', ann);
  const other = aPost('IDEA: y');
  const work = under(idea, 'WORK: x', ann);
  const confirming = (result: NewPost, given: Partial<Post> = ann): NewPost =>
    under(idea, 'REVIEW: r\nOutcome: confirmed\nEvidence: row 3', { parentId: result.id, ...given });

  it('comes last while a WORK of a trusted signer takes it, or of anybody where the opener sent no key', () => {
    assert.deepEqual(listed([other, idea], 'ideas'), [idea.id, other.id]);
    assert.deepEqual(listed([other, idea, work], 'ideas'), [other.id, idea.id]);
    assert.deepEqual(listed([other, idea, work], 'ideas', DAY_MS), [idea.id, other.id]);
    assert.deepEqual(listed([other, idea, under(idea, 'REVIEW: no')], 'ideas'), [idea.id, other.id]);
    assert.deepEqual(listed([other, idea, under(idea, 'WORK: x', bob)], 'ideas'), [idea.id, other.id]);
    assert.deepEqual(listed([idea, other, under(other, 'WORK: x', bob)], 'ideas'), [idea.id, other.id]);
  });

  it('is done by a RESULT in its thread that is confirmed', () => {
    const result = under(idea, 'RESULT: y', bob);
    assert.deepEqual(listed([idea, result], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, result, confirming(result, { name: 'Eve' })], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, result, confirming(result)], 'ideas'), []);
    assert.deepEqual(listed([idea, aPost(`RESULT: of ${idea.id}`)], 'ideas'), [idea.id]);
  });

  it('that is a reply is done only by a RESULT that replies to it or names it', () => {
    const own = under(idea, 'IDEA: y');
    const result = under(idea, 'RESULT: z', bob);
    assert.deepEqual(listed([idea, own, result, confirming(result)], 'ideas'), [own.id]);
    const named = under(idea, `RESULT: z of ${own.id}`, bob);
    assert.deepEqual(listed([idea, own, named, confirming(named)], 'ideas'), []);
  });

  it('is closed by a line Ends: of its writer', () => {
    assert.deepEqual(listed([idea, under(idea, `Ends: ${idea.id}`, bob)], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, under(idea, `Ends: ${idea.id}`, { name: 'Ann' })], 'ideas'), [idea.id]);
    assert.deepEqual(listed([idea, under(idea, `Ends: ${idea.id}`, ann)], 'ideas'), []);
  });
});

describe('a RESULT', () => {
  const opener = { name: 'Zoe', mark: 'zzzzzzzzzzzz' };
  const [ann, bob, eve] = ['Ann', 'Bob', 'Eve'].map((name) => ({
    name,
    mark: name.charAt(0).toLowerCase().repeat(12),
  })) as [Partial<Post>, Partial<Post>, Partial<Post>];
  const idea = aPost(`IDEA: x`, opener);
  const bobIsIn = under(idea, `Trust: ${bob.mark}`, opener);
  const signed = under(idea, 'RESULT: 3', ann);
  const review = (outcome: string, given: Partial<Post> = bob, evidence = '\nEvidence: 3 rows'): NewPost =>
    under(idea, `REVIEW: r\nOutcome: ${outcome}${evidence}`, { parentId: signed.id, ...given });
  const correction = (given: Partial<Post>): NewPost =>
    under(idea, `RESULT: y\nCorrects: ${signed.id}`, given);
  const confirmed = review('confirmed');

  const cases: [standing: Standing, when: string, posts: NewPost[]][] = [
    ['confirmed', 'a trusted writer confirms it', [confirmed]],
    ['confirmed', 'the opener does', [review('confirmed', opener)]],
    ['confirmed', 'such a REVIEW ends its line with a stop', [review('Confirmed.')]],
    ['reviewed', 'the line of its outcome says more', [review('confirmed, but not row 17')]],
    ['reviewed', 'only others confirm it', [review('confirmed', eve), review('confirmed', {})]],
    ['confirmed', 'others do not', [confirmed, review('not confirmed', eve)]],
    ['partlyConfirmed', 'the opener confirms a part', [confirmed, review('partly confirmed', opener)]],
    ['confirmed', 'the opener outweighs one', [review('not confirmed'), review('confirmed', opener)]],
    ['refuted', 'all say so', [review('not confirmed'), review('not confirmed', opener)]],
    ['reviewed', 'a REVIEW has no evidence', [review('confirmed', bob, '')]],
    ['reviewed', 'its evidence says nothing', [review('confirmed', bob, '\nEvidence:')]],
    ['reviewed', 'a REVIEW has two outcomes', [review('confirmed\nOutcome: not confirmed')]],
    [
      'reviewed',
      'a REVIEW without a key says nothing more',
      [under(idea, `REVIEW: x\nResult being checked (post id): ${signed.id}`)],
    ],
    ['unreviewed', 'only its writer confirms it', [review('confirmed', ann)]],
    ['withdrawn', 'its writer withdraws it', [review('not confirmed'), review('withdrawn', ann, '')]],
    ['confirmed', 'its writer withdraws what holds', [confirmed, review('withdrawn', ann, '')]],
    ['withdrawn', 'its writer does not confirm it', [review('not confirmed', ann, '')]],
    ['reviewed', 'another says withdrawn', [review('withdrawn')]],
    ['reviewed', 'its name without its key says withdrawn', [review('withdrawn', { name: 'Ann' })]],
    ['replaced', 'its writer corrects it', [correction(ann)]],
    [
      'confirmed',
      'trusted writers have confirmed it, and not what corrects it',
      [confirmed, correction(ann)],
    ],
    ['unreviewed', 'another corrects it', [correction(bob)]],
    ['unreviewed', 'its name without its key corrects it', [correction({ name: 'Ann' })]],
    ['confirmed', 'a RESULT cites it', [confirmed, under(idea, `RESULT: y, see ${signed.id}`, ann)]],
    [
      'unreviewed',
      'a REVIEW stands in another thread',
      [aPost(`REVIEW: of ${signed.id}\nOutcome: confirmed\nEvidence: x`, bob)],
    ],
    ['confirmed', 'of one key the newest REVIEW counts', [review('not confirmed'), confirmed]],
    ['reviewed', 'a key takes its REVIEW back', [review('not confirmed'), review('withdrawn', bob, '')]],
  ];
  for (const [standing, when, posts] of cases)
    it(`is ${standing} when ${when}`, () => {
      const { results } = boardOf(stepsOf([idea, bobIsIn, signed, ...posts]));
      assert.equal(judge(results.get(signed.id)!).standing, standing);
    });

  it('stands again once the RESULT that replaces it is withdrawn', () => {
    const later = correction(ann);
    const withdrawal = under(idea, 'REVIEW: r\nOutcome: withdrawn', { ...ann, parentId: later.id });
    const { results } = boardOf(stepsOf([idea, signed, later, withdrawal]));
    assert.equal(judge(results.get(signed.id)!).standing, 'unreviewed');
  });

  it('is judged by a REVIEW of the first id on its line, and without one of what it replies to', () => {
    const other = under(idea, 'RESULT: 5', ann);
    const judged = (message: string, parentId = idea.id): string[] => {
      const text = `REVIEW: ${message}\nOutcome: confirmed\nEvidence: x`;
      const byOpener = under(idea, text, { ...opener, parentId });
      return listed([idea, signed, other, byOpener], 'confirmed', 2 * HOUR_MS);
    };
    assert.deepEqual(judged(`\nChecked: ${other.id} and ${signed.id}`, signed.id), [other.id]);
    assert.deepEqual(judged('\nChecked: rows 1 to 9', signed.id), [signed.id]);
    assert.deepEqual(judged(`\nChecked: ${idea.id} and ${signed.id}`, signed.id), []);
    assert.deepEqual(judged(`of ${other.id} and ${signed.id}`), []);
  });
});

describe('trusted writers of a thread', () => {
  const key = (name: string): { name: string; mark: string } => ({
    name,
    mark: name.charAt(0).toLowerCase().repeat(12),
  });
  const [zoe, ann, bob, cid] = ['Zoe', 'Ann', 'Bob', 'Cid'].map(key) as [
    ReturnType<typeof key>,
    ReturnType<typeof key>,
    ReturnType<typeof key>,
    ReturnType<typeof key>,
  ];
  const idea = aPost('IDEA: x', zoe);
  const result = (given: Partial<Post>, rows = ''): NewPost =>
    under(idea, `RESULT: of ${given.name}${rows}`, given);
  const review = (
    of: NewPost,
    outcome: string,
    given: Partial<Post>,
    evidence = '\nEvidence: 3 rows',
  ): NewPost => under(idea, `REVIEW: r\nOutcome: ${outcome}${evidence}`, { ...given, parentId: of.id });
  const line = (text: string, given: Partial<Post> = zoe): NewPost => under(idea, text, given);
  const trustedBy = (...posts: NewPost[]): string[] => {
    const thread = boardOf(stepsOf([idea, ...posts])).thread(idea.id)!;
    return Array.from(viewpointOfOpener(thread).trusted.keys(), ({ signer }) => signer.charAt(0)).sort();
  };
  const [ofAnn, ofBob] = [result(ann), result(bob)];

  const cases: [members: string, when: string, posts: NewPost[]][] = [
    ['z', 'nobody has a RESULT', [line('Trust: low')]],
    ['az', 'the opener confirms a RESULT', [ofAnn, review(ofAnn, 'confirmed', zoe)]],
    ['z', 'it does so in part', [ofAnn, review(ofAnn, 'partly confirmed', zoe)]],
    ['z', 'it does so without evidence', [ofAnn, review(ofAnn, 'confirmed', zoe, '')]],
    ['z', 'somebody else does', [ofAnn, review(ofAnn, 'confirmed', bob)]],
    [
      'z',
      'two others confirm each other',
      [ofAnn, ofBob, review(ofAnn, 'confirmed', bob), review(ofBob, 'confirmed', ann)],
    ],
    [
      'az',
      'somebody whom it trusts confirms another',
      [ofAnn, ofBob, review(ofBob, 'confirmed', ann), review(ofAnn, 'confirmed', zoe)],
    ],
    [
      'z',
      'the opener takes it back by "not confirmed"',
      [ofAnn, review(ofAnn, 'confirmed', zoe), review(ofAnn, 'not confirmed', zoe)],
    ],
    [
      'z',
      'it takes it back by "withdrawn"',
      [ofAnn, review(ofAnn, 'confirmed', zoe), review(ofAnn, 'withdrawn', zoe, '')],
    ],
    [
      'az',
      'the RESULT is replaced',
      [ofAnn, review(ofAnn, 'confirmed', zoe), under(idea, `RESULT: y\nCorrects: ${ofAnn.id}`, ann)],
    ],
    ['bz', 'the opener names a key', [line(`Trust: ${bob.mark}`), under(idea, 'hello', bob)]],
    ['bz', 'in an old line', [line(`Circle: with Bob, ${bob.mark}`), under(idea, 'hello', bob)]],
    [
      'az',
      'by an old line no more',
      [
        ofAnn,
        line(`Trust: ${bob.mark}`),
        line(`Circle: without ${bob.mark}`),
        under(idea, 'hello', bob),
        line(`Trust: ${ann.mark}`),
      ],
    ],
    ['z', 'it names a key without a message', [line(`Trust: ${bob.mark}`)]],
    ['z', 'another names a key', [line(`Trust: ${bob.mark}`, ann), under(idea, 'hello', bob)]],
    [
      'z',
      'the name of the opener does so without its key',
      [under(idea, `Trust: ${bob.mark}`, { name: 'Zoe' }), under(idea, 'hello', bob)],
    ],
    [
      'z',
      'the opener puts a key out',
      [ofAnn, review(ofAnn, 'confirmed', zoe), line(`Distrust: ${ann.mark}`)],
    ],
    [
      'az',
      'its newest line on a key counts',
      [ofAnn, line(`Distrust: ${ann.mark}`), line(`Trust: ${ann.mark}`)],
    ],
    [
      'z',
      'a RESULT without a key is confirmed',
      [result({ name: 'Eve' })].flatMap((one) => [one, review(one, 'confirmed', zoe)]),
    ],
  ];
  for (const [members, when, posts] of cases)
    it(`is ${members} when ${when}`, () => {
      assert.equal(trustedBy(...posts).join(''), members);
    });

  it('is empty if the opener sent no key, and begins with a mark in capitals', () => {
    const members = (...posts: NewPost[]): number =>
      viewpointOfOpener(boardOf(stepsOf(posts)).thread(posts[0]!.id)!).trusted.size;
    const bare = aPost('hello', { name: 'Zoe' });
    assert.equal(members(bare, under(bare, 'RESULT: y', ann), under(bare, 'WORK: x', zoe)), 0);
    assert.equal(members(aPost('hello', { name: 'Zoe', mark: '1111111111AA' })), 1);
  });

  it('has at most 64 members, the opener and those whom it let in last', () => {
    const sockets = Array.from({ length: 80 }, (_, n) => ({ mark: `s${String(n).padStart(11, '0')}` }));
    const posts = [ofAnn, review(ofAnn, 'confirmed', zoe)];
    for (const own of sockets) {
      const one = result(own);
      posts.push(one, review(one, 'confirmed', zoe));
    }
    posts.push(ofBob, review(ofBob, 'confirmed', zoe));
    const trusted = trustedBy(...posts);
    assert.equal(trusted.length, 64);
    assert.ok(trusted.includes('b'));
  });

  it('counts RESULTs and REVIEWs among the newest steps of its thread, and lines of the opener before', () => {
    const posts = [idea, ofAnn, review(ofAnn, 'confirmed', zoe), line(`Trust: ${bob.mark}`), ofBob];
    const filler = Array.from({ length: 2100 }, (_, n) =>
      under(idea, 'x', { mark: `f${String(n).padStart(11, '0')}` }),
    );
    const last = result(cid);
    const board = boardOf(stepsOf([...posts, ...filler, last, review(last, 'confirmed', bob)]));
    assert.equal(judge(board.results.get(last.id)!).standing, 'confirmed');
    const { trusted } = viewpointOfOpener(board.thread(idea.id)!);
    assert.deepEqual(
      Array.from(trusted.keys(), ({ signer }) => signer.charAt(0)),
      ['z', 'b'],
    );
  });
});

describe('a name', () => {
  const idea = aPost('IDEA: x');
  const typed = under(idea, 'WORK: x', { name: 'Alder' });
  const sent = under(idea, 'RESULT: y', { name: 'Аlder', mark: '2222222222aa' });
  const late = under(idea, 'WORK: z', { name: 'Alder', mark: '1111111111aa' });
  const createdAt = '2026-11-21T10:00:00.000000Z';

  it('belongs to the key that was first sent under a look, whoever typed it before', () => {
    const board = boardOf(stepsOf([idea, typed, sent, late]));
    const signatureOf = (post: NewPost): unknown =>
      toSignature(board, board.authorOf({ ...post, createdAt }));
    const namesakeOf = { id: sent.id, signer: '2222222222aa', likeName: sent.name };
    assert.deepEqual(signatureOf(sent), { signer: '2222222222aa', shortSigner: '222222' });
    assert.deepEqual(signatureOf(typed), { namesakeOf, shortSigner: null });
    assert.deepEqual(signatureOf(under(idea, 'x', { name: 'alder' })), { namesakeOf, shortSigner: null });
    assert.deepEqual(signatureOf(aPost('x', { name: 'alder' })), {});
  });

  it('is held by a trusted key, whichever key outside was sent under its look before', () => {
    const opener = { name: 'Cedar', mark: 'cccccccccccc' };
    const thread = aPost('IDEA: x', opener);
    const squatter = under(thread, 'x', { name: 'Birch', mark: 'dddddddddddd' });
    const birch = { name: 'Birch', mark: 'bbbbbbbbbbbb' };
    const found = under(thread, 'RESULT: y', birch);
    const check = under(
      thread,
      `REVIEW: I ran it\nResult being checked (post id): ${found.id}\nOutcome: confirmed\nEvidence: 3 rows`,
      opener,
    );
    const later = under(thread, 'x', { name: 'Bіrch', mark: 'eeeeeeeeeeee' });
    const signed = (posts: NewPost[], post: NewPost): unknown => {
      const board = boardOf(stepsOf(posts));
      return toSignature(board, board.authorOf({ ...post, createdAt })).namesakeOf?.id;
    };
    assert.equal(signed([thread, squatter, found], found), squatter.id);
    const all = [thread, squatter, found, check, later];
    const signers = [squatter, found, later].map((post) => signed(all, post));
    assert.deepEqual(signers, [found.id, undefined, found.id]);
    const out = under(thread, 'Distrust: bbbbbbbbbbbb', opener);
    assert.deepEqual(
      [squatter, found, later].map((post) => signed([...all, out], post)),
      [undefined, squatter.id, squatter.id],
      'whom the opener puts out holds no name',
    );
  });

  it('may not stand among the words of another name, if it is the first of a trusted key', () => {
    const thread = aPost('IDEA: x', { name: 'Cedar', mark: 'cccccccccccc' });
    const second = under(thread, 'x', { name: 'Juniper', mark: 'cccccccccccc' });
    const board = boardOf(stepsOf([thread, second]));
    const namesakeOf = (name: string, mark = 'dddddddddddd'): unknown => {
      const message = { ...under(thread, 'x', { name, mark }), createdAt };
      return toSignature(board, board.authorOf(message)).namesakeOf?.id;
    };
    assert.deepEqual(
      ['Cedar (new key)', 'Juniper', 'Juniper (new key)'].map((name) => namesakeOf(name)),
      [thread.id, second.id, undefined],
      'one key may sign with thousands of names, and each message is compared with those of trusted signers',
    );
    assert.equal(namesakeOf('My Cedar', 'cccccccccccc'), undefined, 'of its own writer');
  });

  it('has the first signs of its signer where others sign with it, so many that they differ', () => {
    const thread = aPost('x', { name: 'Cedar', mark: 'cccccccccccc' });
    const marks = ['dddddddddddd', 'dddddddd2222', 'eeeeeeeeeeee'];
    const named = marks.map((mark) => under(thread, 'x', { name: 'Birch', mark }));
    const board = boardOf(stepsOf([thread, ...named, under(thread, 'x', { name: 'Cedar' })]));
    const shortOf = (name: string, mark?: string): unknown => {
      const message = under(thread, 'x', { name, ...(mark !== undefined && { mark }) });
      return toSignature(board, board.authorOf({ ...message, createdAt })).shortSigner;
    };
    const short = marks.map((mark) => shortOf('B1rch', mark));
    assert.deepEqual(short, ['ddddddddd', 'dddddddd2', 'eeeeee']);
    assert.equal(shortOf('Birch'), null);
    assert.equal(shortOf('Cedar', 'cccccccccccc'), undefined, 'one signer alone has it');
    assert.equal(shortOf('Cedar'), null);
    assert.equal(shortOf('Elm', 'dddddddddddd'), undefined);
  });
});
