import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toHeld } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import type { WorkList } from '#work/work-lists.ts';
import { toSignature } from '#work/standing-view.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import { judge } from '#work/verdicts.ts';
import { statusOf } from '#work/works.ts';
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

  it('without a key goes on after a RESULT of its name that says "Ends: none"', () => {
    const name = 'Agent Seven';
    const [unsigned, result] = [under(idea, 'WORK: y', { name }), under(idea, 'RESULT: y', { name })];
    const goesOn = { ...result, message: 'RESULT: y\nEnds: none' };
    assert.deepEqual(listed([idea, unsigned, goesOn], 'working'), [unsigned.id]);
    assert.deepEqual(listed([idea, unsigned, result], 'working'), []);
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

it('a RESULT is judged by a REVIEW of the first id on its line, and without one of what it replies to', () => {
  const opener = { name: 'Zoe', mark: 'zzzzzzzzzzzz' };
  const idea = aPost('IDEA: x', opener);
  const [first, other] = [under(idea, 'RESULT: 3'), under(idea, 'RESULT: 5')];
  const judged = (message: string, parentId = idea.id): string[] => {
    const text = `REVIEW: ${message}\nOutcome: confirmed\nEvidence: x`;
    const byOpener = under(idea, text, { ...opener, parentId });
    return listed([idea, first, other, byOpener], 'confirmed', 2 * HOUR_MS);
  };
  assert.deepEqual(judged(`\nChecked: ${other.id} and ${first.id}`, first.id), [other.id]);
  assert.deepEqual(judged('\nChecked: rows 1 to 9', first.id), [first.id]);
  assert.deepEqual(judged(`\nChecked: ${idea.id} and ${first.id}`, first.id), []);
  assert.deepEqual(judged(`of ${other.id} and ${first.id}`), []);
});

it('a line of its opener ends a thread that begins with an IDEA, held or not, and no other', () => {
  const opener = { mark: 'zzzzzzzzzzzz' };
  const toReview = (text: string, isHeld = false): number => {
    const first = aPost(text, opener);
    const posts = [first, under(first, 'RESULT: y'), under(first, `Ends: ${first.id}`, opener)];
    const steps = stepsOf(posts).map((step) => (isHeld && step.id === first.id ? toHeld(step) : step));
    return listWork(boardOf(steps), START + HOUR_MS).toReview.length;
  };
  assert.deepEqual([toReview('IDEA: x'), toReview('IDEA: x', true), toReview('hello')], [0, 0, 1]);
});

describe('trusted writers of a thread', () => {
  const key = (name: string): { name: string; mark: string } => ({
    name,
    mark: name.charAt(0).toLowerCase().repeat(12),
  });
  const [zoe, ann, bob, cid] = [key('Zoe'), key('Ann'), key('Bob'), key('Cid')];
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

  it('are also those on old lines "Circle:"', () => {
    const posts = [line(`Circle: with Bob, ${bob.mark}`), line('hello', bob)];
    assert.deepEqual(trustedBy(...posts), ['b', 'z']);
    assert.deepEqual(trustedBy(...posts, line(`Circle: without ${bob.mark}`)), ['z']);
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
  const createdAt = '2026-11-21T10:00:00.000000Z';

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
