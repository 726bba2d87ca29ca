import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { CommandError, UsageError, type CommandArgs } from '#commands/command.ts';
import { erase, hide, unhide } from '#commands/moderate.ts';
import { keep, reports } from '#commands/reports.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import type { PrivateStore } from '#private/private-store.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import type { Store } from '#store/port/store.ts';
import { testClock } from '../../support/clock.ts';
import { commandArgs, runCommand, SILENT } from '../../support/commands.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openNewStore } from '../../support/postgres/postgres.ts';
import { aPost } from '../../support/store/records.ts';
import { addPost, addPosts, addRecord } from '../../support/store/writes.ts';

test('erase in a folder says that copies made before still hold the text', async (t) => {
  const place = await setUp(t);
  const { record } = await addPost(place.store, 'x');
  assert.equal(
    (await run(place, erase, { positionals: [record.id] })).join(),
    'Erased: no read and no export returns its text. No file of the store holds it. Backups and exports made before still do.',
  );
});

test('erase in a database also names what PostgreSQL keeps', async (t) => {
  const { store } = await openNewStore(t);
  const { record } = await addPost(store, 'x');
  assert.match(
    (await runCommand(erase, store, { positionals: [record.id], reason: 'x' })).join(),
    /^Erased: .* free space of a page .* write-ahead log and its archives.* standbys\. Backups and exports/,
  );
});

const clock = testClock('2026-11-21T10:00:00.000Z');

interface Place {
  store: Store;
  privateStore: PrivateStore;
}

async function setUp(t: TestContext): Promise<Place> {
  const folder = await temporaryFolder(t);
  const store = await openFolderStore({ folder, clock, report: () => undefined });
  t.after(() => store.close());
  return { store, privateStore: new FolderPrivateStore({ disk: nodeDisk, folder, clock }) };
}

const run = (
  { store, privateStore }: Place,
  command: typeof hide,
  given: Partial<CommandArgs>,
  answer?: string,
) => runCommand(command, store, { reason: 'spam', privateStore, now: clock.now, ...given }, answer);

const visible = async ({ store }: Place): Promise<string[]> =>
  (await store.read.page('post', { order: 'oldest', limit: 5000 })).map(({ record }) => record.message);

test('several ids are hidden and shown again, and a failure of one is named and does not stop the rest', async (t) => {
  const place = await setUp(t);
  const ids = await Promise.all(
    ['a', 'b', 'c'].map(async (text) => (await addPost(place.store, text)).record.id),
  );
  const [a = '', b = '', c = ''] = ids;
  await run(place, hide, { positionals: [b] });
  const lines: string[] = [];
  await assert.rejects(
    hide.run(
      place.store,
      commandArgs({ positionals: [a, b, 'password', c], reason: 'spam', privateStore: place.privateStore }),
      { ...SILENT, logStatus: (line) => lines.push(line) },
    ),
    (error) => error instanceof CommandError && error.message === 'Done for 2 of 4.',
  );
  assert.deepEqual(lines, [
    `${b}: There is no visible record with this id.`,
    'an argument that is not an id: There is no visible record with this id.',
  ]);
  assert.deepEqual(await visible(place), []);
  assert.deepEqual(await run(place, unhide, { positionals: ids }), ['Visible again. (3 records)']);
  assert.deepEqual((await visible(place)).length, 3);
});

test('ids come from standard input too, as the first id of each line, shown first and after a question', async (t) => {
  const place = await setUp(t);
  const [a, b] = [await addPost(place.store, 'a'), await addPost(place.store, 'b')];
  await addPost(place.store, 'c');
  const text = `${a.record.id}  2 networks  spam 2  2026-11-21  text\n\nnothing\n"${b.record.id}" post_x\r\n`;
  const given = { positionals: ['-'], readInput: async () => text };
  for (const command of [hide, keep, unhide])
    await assert.rejects(run(place, command, given), /these 2 records\? .*\nNothing was done\. Add --yes/);
  await assert.rejects(run(place, hide, given, 'no'), /^CommandError: Nothing was done\.$/);
  assert.equal((await visible(place)).length, 3);
  assert.deepEqual(await run(place, hide, given, 'y'), [
    `${a.record.id}  a`,
    `${b.record.id}  b`,
    'Hide these 2 records? (y/N) ',
    'Hidden: no list and no read returns it. Its visible replies remain. (2 records)',
  ]);
  assert.deepEqual(await visible(place), ['c']);
  await run(place, unhide, { ...given, yes: true });
  assert.equal((await visible(place)).length, 3);
  await assert.rejects(
    run(place, hide, { positionals: ['-'], readInput: async () => 'x' }),
    /contains no id/,
  );
});

test('a thread is hidden with all its replies, also when its first post is hidden, after a question', async (t) => {
  const place = await setUp(t);
  const { record: root } = await addPost(place.store, 'root');
  await addRecord(place.store, 'post', { ...aPost('reply'), parentId: root.id, rootId: root.id });
  await addPost(place.store, 'other');
  await assert.rejects(run(place, hide, { thread: root.id }, 'no'), /^CommandError: Nothing was done\.$/);
  await assert.rejects(run(place, hide, { thread: root.id }), /Hide these 2 posts\? .*\n.*--yes/);
  assert.equal((await visible(place)).length, 3);
  await run(place, hide, { positionals: [root.id] });
  assert.deepEqual((await run(place, hide, { thread: root.id }, 'y')).slice(1), [
    'Hide this post? (y/N) ',
    'Hidden: no list and no read returns it. Its visible replies remain.',
  ]);
  assert.deepEqual(await visible(place), ['other']);
});

test('matching posts are counted and shown, printable, and more than 1,000 need --all', async (t) => {
  const place = await setUp(t);
  const posts = Array.from({ length: 1201 }, (_, n) => aPost(`buy \u001b[2J lamps ${n} ${'x'.repeat(100)}`));
  await addPosts(place.store, [...posts, aPost('a lamp')]);
  const given = { matching: 'BUY lamps', yes: true };
  await assert.rejects(
    run(place, hide, given),
    /1201 posts are more than 1000\. Nothing was done; add --all/,
  );
  assert.equal((await visible(place)).length, 1202);
  const lines = await run(place, hide, { ...given, all: true });
  assert.equal(lines.length, 12);
  assert.match(lines[0]!, /^post_[\w-]+ {2}buy \\u001b\[2J lamps 1200 x+$/);
  assert.equal(lines[10], 'and 1191 more');
  assert.deepEqual(await visible(place), ['a lamp']);
  await assert.rejects(run(place, hide, given), /No visible post matches/);
});

test('each read for matching posts examines 20,000, since a rare word is in few of many', async (t) => {
  const place = await setUp(t);
  await addPost(place.store, 'cheap lamps');
  const feed = t.mock.method(place.store.read, 'feed');
  await run(place, hide, { matching: 'cheap', yes: true });
  const bounds = feed.mock.calls.map(({ arguments: [, range] }) => [range.limit, range.maxCandidates]);
  assert.deepEqual(bounds, [[500, 20_000]]);
});

test('matching posts have the whole words, though a search finds longer ones', async (t) => {
  const place = await setUp(t);
  await addPosts(place.store, [aPost('cheap lamp'), aPost('cheap lamps'), aPost('cheaper lamp')]);
  await run(place, hide, { matching: 'cheap LAMP', yes: true });
  assert.deepEqual((await visible(place)).toSorted(), ['cheap lamps', 'cheaper lamp']);
});

test('exactly one way to name records is accepted', async (t) => {
  const place = await setUp(t);
  for (const given of [
    {},
    { positionals: ['post_x'], thread: 'post_x' },
    { thread: 'post_x', matching: 'x' },
  ])
    await assert.rejects(run(place, hide, given), UsageError);
  await assert.rejects(run(place, hide, { matching: '…' }), UsageError);
});

test('the queue prints a line for each item, and keep empties it until three networks report it again', async (t) => {
  const place = await setUp(t);
  const { record } = await addPost(place.store, '\u202Eabc\ndef');
  const { record: bad } = await addPost(place.store, 'bad');
  const report = (id: string, tag: string, reason: 'spam' | 'illegal') =>
    place.privateStore.append({
      type: 'report',
      day: '2026-11-21',
      id,
      reason,
      tag: `${id.slice(-8)}${tag}`,
    });
  for (const tag of ['1', '2']) await report(record.id, tag, 'spam');
  await report(bad.id, '1', 'illegal');
  const list = () => run(place, reports, { reason: undefined });
  assert.deepEqual(await list(), [
    `${bad.id}  1 network  illegal 1  2026-11-21  bad`,
    `${record.id}  2 networks  spam 2  2026-11-21  \\u202eabc def`,
  ]);
  assert.equal((await run(place, reports, { reason: 'illegal' })).length, 1);
  await assert.rejects(run(place, reports, { reason: 'because' }), UsageError);
  const [json = ''] = await run(place, reports, { reason: 'spam', json: true });
  assert.deepEqual(JSON.parse(json), {
    items: [{ id: record.id, networks: 2, reasons: { spam: 2 }, first: '2026-11-21', last: '2026-11-21' }],
  });
  assert.deepEqual(await run(place, reports, { reason: undefined, networks: '3' }), [
    'There are no reports.',
  ]);
  const printed = (await run(place, reports, { reason: undefined, networks: '2' })).join();
  assert.match(printed, /^post_\S+ {2}2 net/);
  for (const networks of ['', '0', 'x', '1.5'])
    await assert.rejects(run(place, reports, { networks }), UsageError);
  await run(place, keep, { positionals: [record.id], reason: 'harmless' });
  await assert.rejects(run(place, keep, { positionals: [record.id] }), /No one has reported/);
  await run(place, hide, { positionals: [bad.id] });
  assert.deepEqual(await list(), ['There are no reports.']);
  for (const tag of ['3', '4', '5']) await report(record.id, tag, 'spam');
  assert.match((await list())[0]!, /3 networks/);
});

test('--networks counts a network that reports on several days once', async (t) => {
  const place = await setUp(t);
  const { record } = await addPost(place.store, 'a');
  const report = (day: string, tag: string) =>
    place.privateStore.append({ type: 'report', day, id: record.id, reason: 'spam', tag });
  await report('2026-11-19', '1');
  await report('2026-11-20', '2');
  await report('2026-11-21', '3');
  const list = (networks: string) => run(place, reports, { reason: undefined, networks });
  assert.deepEqual([(await list('1')).length, await list('2')], [1, ['There are no reports.']]);
  await report('2026-11-21', '4');
  assert.match((await list('2'))[0]!, /4 networks/);
});
