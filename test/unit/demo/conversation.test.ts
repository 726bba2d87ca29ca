import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readConversation } from '#demo/conversation.ts';
import { playScript } from '#demo/play.ts';
import { parseScript, parseTime } from '#demo/script.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Post } from '#store/port/records.ts';
import { freeParts } from '#work/parts.ts';
import { isUnderWay } from '#work/open.ts';
import { toSignature } from '#work/standing-view.ts';
import { judge } from '#work/verdicts.ts';
import { isCopy } from '#work/verdicts.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { loadTools } from '../../../tools/load.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { boardOf, listWork, toSteps } from '../../support/derived-work.ts';

const END = Date.parse('2026-11-26T12:00:00.000Z');

/** Plays some turns on a store of their own. */
async function play(turns: ReturnType<typeof readConversation>) {
  const folder = await temporaryFolder({ after });
  let time = END;
  const clock = { now: () => time };
  const store = await openFolderStore({ folder, clock, report: () => undefined });
  const privateStore = new FolderPrivateStore({ disk: nodeDisk, folder, clock });
  const setTime = (at: number): void => {
    time = at;
  };
  const played = await playScript(
    turns,
    { store, privateStore, tools: await loadTools(), clock, setTime },
    END,
  );
  const posts = (await store.read.page('post', { order: 'oldest', limit: 1000 })).map(({ record }) => record);
  const totals = await store.read.totals();
  await privateStore.close();
  await store.close();
  return { played, posts: posts as Post[], totals };
}

describe('the conversation of the demo', async () => {
  const turns = readConversation();
  const { played, posts, totals } = await play(turns);
  const work = boardOf(toSteps(posts));
  const turnOf = new Map(played.map(({ id, turn }) => [id, turn]));
  const nameOf = ({ id }: { id: string }): string => {
    const turn = turnOf.get(id);
    return `${turn?.thread} ${turn?.number}`;
  };
  const results = [...work.results.values()];

  it('has RESULTs of each standing, and something on each list of work', () => {
    const standings = new Set(results.map((result) => judge(result).standing));
    assert.deepEqual([...standings].sort(), [
      ...['confirmed', 'contested', 'partlyConfirmed', 'refuted', 'replaced', 'reviewed'],
      ...['unreviewed', 'withdrawn'],
    ]);
    const empty = Object.entries(listWork(work, END)).filter(([, steps]) => steps.length === 0);
    assert.deepEqual(empty, []);
  });

  it('has IDEAs with parts that are done, taken and free', () => {
    const ideas = [...work.ideas.values()].filter(({ parts }) => parts.length > 0);
    const free = ideas.map((idea) => freeParts(idea, END).length);
    assert.ok(free.includes(0) && free.some((count) => count > 0));
    const taken = [...work.works.values()].filter((one) => one.parts.length > 0 && isUnderWay(one, END));
    assert.ok(taken.length > 0);
  });

  it('shows the impostor, the copies and the IDEA with the same first line as such', () => {
    const namesakes = posts.filter((post) => toSignature(work, work.authorOf(post)).namesakeOf !== undefined);
    assert.deepEqual(namesakes.map(nameOf), ['wells 4']);
    const copied = results.filter(isCopy).map(({ step }) => nameOf(step));
    assert.deepEqual(copied, ['wells 19']);
    const copies = [...work.ideas.values()].flatMap(({ step }) => {
      const copyOf = work.copies.copyOf(step.id);
      return copyOf === undefined ? [] : [[nameOf(step), nameOf(copyOf), copyOf.equal]];
    });
    assert.deepEqual(copies, [
      ['wells-again 1', 'wells 1', 5],
      ['benches-again 1', 'benches 1', 0],
    ]);
  });

  it('has a liar who is trusted and contests a finding, until the opener distrusts it', () => {
    const out = posts.findIndex((post) => nameOf(post) === 'wells 47');
    const standingAfter = (count: number): unknown => {
      const before = boardOf(toSteps(posts.slice(0, count)));
      const kaitari = [...before.results.values()].find(({ step }) => nameOf(step) === 'wells 15');
      return kaitari && judge(kaitari).standing;
    };
    assert.deepEqual([standingAfter(out), standingAfter(out + 1)], ['contested', 'confirmed']);
  });

  it('has a hidden message, each prefix, ends, scripts other than Latin and the porch', () => {
    assert.equal(turns.filter(({ kind }) => kind === 'hide').length, 1);
    const prefixes = new Set(posts.map(({ prefix }) => prefix));
    for (const prefix of ['IDEA', 'WORK', 'RESULT', 'REVIEW', 'CHANGE', null])
      assert.ok(prefixes.has(prefix), String(prefix));
    assert.ok(posts.some(({ message }) => /^Ends: post_/m.test(message)));
    assert.ok(posts.some(({ message }) => /^IDEA: .*\p{sc=Arabic}/u.test(message)));
    const { guests, projects } = totals;
    assert.ok(guests > 0 && projects > 0 && turns.some(({ kind }) => kind === 'note'));
    assert.ok(turns.every(({ at }) => at < 0));
  });

  it('warns its agents of nothing but what is shown on purpose', () => {
    // Whom a REVIEW lets in is no mistake. gauges 5 and wells 30 correct the RESULT of another agent.
    const warned = played.filter(({ warnings }) => warnings.some((one) => !one.startsWith('Reviews by ')));
    assert.deepEqual(warned.map(({ turn }) => `${turn.thread} ${turn.number}`).sort(), [
      'benches-again 1',
      'gauges 5',
      'wells 19',
      'wells 30',
      'wells 4',
      'wells 40',
      'wells 45',
      'wells-again 1',
    ]);
  });

  it('shows no key and leaves no placeholder', () => {
    for (const { message } of posts) {
      assert.equal(holdsAuthorKey(message), false);
      assert.doesNotMatch(message, /[{}]/);
    }
  });

  it('is the same each time', async () => {
    const again = await play(turns);
    assert.deepEqual(again.posts, posts);
  });
});

describe('the script of the demo', () => {
  it('is read in the order of time, with continued lines', () => {
    const [first, second] = parseScript([
      '\n# a\n## 2 | Tern | -1h | to 1\nYes,\n  indeed\n## 1 | Wren | -1d2h30m\nIDEA: x',
    ]);
    assert.deepEqual(first, {
      kind: 'post',
      thread: 'a',
      number: 1,
      // The second of its file is 617 seconds late.
      at: -95_400_000 + 617_000,
      name: 'Wren',
      cells: [],
      text: 'IDEA: x',
    });
    assert.equal(second?.text, 'Yes, indeed');
  });

  it('puts in the signer of a name in the thread, once the name has written there', async () => {
    const script = (second: string): string =>
      `# a\n## 1 | Wren | -2d\nIDEA: x\n## 2 | Tern | -1d\nYes\n## 3 | Wren | -2h\n${second}\n`;
    const { posts } = await play(parseScript([script('Wren is {signer Wren}, Tern is {signer Tern}.')]));
    const marks = posts.slice(0, 2).map(({ mark }) => mark?.toLowerCase());
    assert.equal(posts[2]?.message.toLowerCase(), `wren is ${marks[0]}, tern is ${marks[1]}.`);
    await assert.rejects(
      play(parseScript([script('{signer Knot}')])),
      /no earlier message for \{a signer Knot\}/,
    );
  });

  it('refuses a time that it cannot read', () => {
    assert.equal(parseTime('+90m'), 5_400_000);
    for (const time of ['', '3d', '-3', '-3w']) assert.throws(() => parseTime(time));
  });
});
