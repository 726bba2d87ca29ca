import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test, type TestContext } from 'node:test';
import pg from 'pg';
import { exportAll } from '#commands/export.ts';
import { hide as hideByCommand } from '#commands/moderate.ts';
import type { Kind } from '#store/port/records.ts';
import type { Store } from '#store/port/store.ts';
import { encodeExport } from '#workspace/log/export-format.ts';
import { toLocalReason } from '#workspace/service/mirror.ts';
import { commandArgs, SILENT } from '../../support/commands.ts';
import { keyFor } from '../../support/author-key.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { IDEA, PROJECT, setUp, type TestApp } from '../../support/http/test-app.ts';
import { openMirror, type TestMirror } from '../../support/mirror.ts';
import { newDatabase } from '../../support/postgres/postgres.ts';
import { runSuccessfully } from '../../support/product.ts';
import { aPost, newId } from '../../support/store/records.ts';
import { historyOf } from '../../support/store/store-location.ts';
import { addPosts, addRecord, erase, hide, importEntries, unhide } from '../../support/store/writes.ts';
import { firstOf, thoroughTest } from '../../support/thorough.ts';

/** @returns what readers of the store can see */
async function publicOf({ read }: Store): Promise<unknown> {
  const range = { order: 'oldest', limit: 10_000 } as const;
  const projects = await read.page('project', range);
  const shown = new Set(projects.map(({ record }) => record.id));
  const notes = await read.page('note', range);
  return {
    posts: await read.page('post', range),
    guests: await read.page('guest', range),
    projects,
    notes: notes.filter(({ record }) => shown.has(record.projectId)),
    moderations: await read.moderations(10_000),
    totals: await read.totals(),
  };
}

async function setUpMirror(t: TestContext, isDatabase = false): Promise<[TestApp, TestMirror]> {
  const app = await setUp(t);
  const place = isDatabase
    ? { databaseUrl: await newDatabase(t) }
    : { dataDir: join(await temporaryFolder(t), 'mirror') };
  return [app, await openMirror(t, app.url, place)];
}

const positionIn = (folder: string): string => join(folder, 'private', 'mirror.json');

async function setPosition(databaseUrl: string, content: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query('update porchlight.mirror set position = $1', [content]);
  await client.end();
}

const addNote = (store: Store, note: string) =>
  addRecord(store, 'note', { id: newId('note'), projectId: PROJECT, name: 'n', note });

const ENGINES = [
  ['a folder', false],
  ['a database', true],
] as const;

for (const [engine, isDatabase] of firstOf(ENGINES))
  test(`a mirror in ${engine} has what its origin has, after imports, hides, unhides and erases`, async (t) => {
    const [{ store: origin }, { store, follow }] = await setUpMirror(t, isDatabase);
    await follow();
    assert.deepEqual(await publicOf(store), await publicOf(origin));
    await assert.rejects(follow(), { exitCode: 3 });
    const posts = Array.from({ length: 1100 }, (_, n) => aPost(`post ${n}`));
    await addPosts(origin, posts);
    await follow();
    const old = { ...aPost('old'), createdAt: '2020-01-01T00:00:00.000000Z' };
    await importEntries(origin, [{ kind: 'post', record: old }]);
    await hide(origin, posts[0]!.id, 'spam');
    await hide(origin, posts[1]!.id);
    await unhide(origin, posts[1]!.id);
    await erase(origin, posts[2]!.id);
    await hide(origin, PROJECT);
    await addNote(origin, 'while it is hidden');
    await follow();
    assert.deepEqual(await publicOf(store), await publicOf(origin));
    await unhide(origin, PROJECT);
    await unhide(origin, posts[0]!.id);
    await follow();
    assert.deepEqual(await publicOf(store), await publicOf(origin));
  });

test('a mirror and its export have what one key wrote in two threads', async (t) => {
  const [{ request, store: origin }, { store, follow }] = await setUpMirror(t);
  const post = async (message: string): Promise<string> =>
    (await request('POST /api/feed', { body: { message, authorKey: keyFor('Ann') } })).json.id;
  const first = await post('IDEA: wells');
  const second = await post(`here\nSame key as: ${first}`);
  await follow();
  assert.deepEqual((await store.read.find('post', second))?.record.sameKeyAs, [first]);
  assert.deepEqual(await historyOf(store), await historyOf(origin));
  const lines: string[] = [];
  for await (const line of encodeExport(store.read.history())) lines.push(line);
  assert.match(lines.join('\n'), new RegExp(`"sameKeyAs":\\["${first}"\\],"message":"here`));
});

test('a new mirror gets nothing that was hidden or erased, and the notes of a project that is unhidden later', async (t) => {
  const [{ store: origin }, { store, follow }] = await setUpMirror(t);
  await addNote(origin, 'a note');
  await hide(origin, PROJECT);
  await erase(origin, IDEA);
  await follow();
  const texts = JSON.stringify(await historyOf(store));
  assert.doesNotMatch(texts, /a note|Plain-language|without home internet/);
  await unhide(origin, PROJECT);
  await follow();
  assert.deepEqual(await publicOf(store), await publicOf(origin));
});

test('a running mirror looks at the log every two seconds, and an erase is obeyed with the next look', async (t) => {
  const app = await setUp(t);
  const [secret] = await addPosts(app.store, [aPost('unwelcome')]);
  const id = secret!.record.id;
  const pauses: number[] = [];
  const found: boolean[] = [];
  const { store, followLive } = await openMirror(
    t,
    app.url,
    { dataDir: await temporaryFolder(t) },
    {
      isStopped: () => pauses.length === 3,
      sleep: async (milliseconds) => {
        pauses.push(milliseconds);
        found.push((await store.read.find('post', id)) !== undefined);
        if (pauses.length === 2) await erase(app.store, id);
      },
    },
  );
  await followLive();
  assert.deepEqual(pauses, [2000, 2000, 2000]);
  assert.deepEqual(found, [true, true, false]);
});

test('what the operator of the mirror hides stays hidden when the origin unhides it, until he unhides it', async (t) => {
  const [{ store: origin }, { store, privateStore, follow }] = await setUpMirror(t);
  await follow();
  const hideHere = (reason: string): Promise<void> =>
    hideByCommand.run(store, commandArgs({ positionals: [IDEA], reason, privateStore }), SILENT);
  await assert.rejects(hideHere(' '), { name: 'CommandError', message: /^The reason is blank/ });
  await hideHere('spam');
  await hide(origin, IDEA);
  await unhide(origin, IDEA, 'fine');
  await follow();
  assert.equal(await store.read.find('post', IDEA), undefined);
  const listed = (await store.read.moderations(9)).map(({ action, reason }) => `${action} ${reason}`).sort();
  assert.deepEqual(listed, ['hide a test', 'hide on this mirror: spam']);
  await unhide(store, IDEA, toLocalReason('a mistake'));
  assert.deepEqual(await store.read.find('post', IDEA), await origin.read.find('post', IDEA));
  await hide(origin, IDEA);
  await unhide(origin, IDEA);
  await follow();
  assert.deepEqual(await store.read.find('post', IDEA), await origin.read.find('post', IDEA));
});

/** A record of each kind that the rules for new ones refuse, with the reason of the mirror. */
const REFUSED: readonly [Kind, { readonly id: string; readonly [field: string]: unknown }, string][] = [
  [
    'post',
    { ...aPost('see a\u{E0041}'), name: 'a' },
    'message contains an invisible format character (U+E0041) at position 5',
  ],
  [
    'post',
    { ...aPost('x'), name: 'a\nb' },
    'name contains a line break at position 1 and must be a single line',
  ],
  ['post', { ...aPost('y'), name: 'Porch Light' }, 'name is the name of this service'],
  ['post', aPost('mine is plk-7k3qx-2m9ab'), 'message contains what looks like an author key'],
  [
    'guest',
    { id: newId('guest'), name: 'a', kind: 'b\u202Ec', note: 'd' },
    'kind contains a bidirectional embedding or override (U+202E) at position 1',
  ],
  [
    'project',
    { id: newId('project'), title: 'a\u2028b', summary: 's', by: 'b', url: null, looking_for: null },
    'title contains a line break at position 1 and must be a single line',
  ],
  [
    'note',
    { id: newId('note'), projectId: PROJECT, name: 'a\u200Bb', note: 'c' },
    'name contains an invisible character (U+200B) at position 1',
  ],
];

for (const [engine, isDatabase] of firstOf(ENGINES.toReversed()))
  test(`a mirror in ${engine} hides by itself what new records may not have, whatever the origin does`, async (t) => {
    const [{ store: origin }, { store, privateStore, follow }] = await setUpMirror(t, isDatabase);
    await follow();
    const before = await store.read.totals();
    for (const [kind, record] of REFUSED) await addRecord(origin, kind, record as never);
    await addPosts(origin, [aPost('welcome')]);
    await follow();
    const { byPrefix, ...totals } = await store.read.totals();
    const grown = { ...before, posts: before.posts + 1, threads: before.threads + 1, byPrefix };
    assert.deepEqual({ ...totals, byPrefix }, grown);
    const reasons = (await store.read.moderations(9)).map(({ id, reason }) => `${id} ${reason}`);
    const expected = REFUSED.map(([, record, reason]) => `${record.id} on this mirror: ${reason}`);
    assert.deepEqual(reasons.sort(), expected.sort());
    const id = REFUSED[0]![1].id;
    await hide(origin, id);
    await unhide(origin, id);
    await follow();
    assert.equal(await store.read.find('post', id), undefined);
    await unhide(store, id, toLocalReason('it is harmless'));
    await privateStore.writeMirrorPosition({ ...(await privateStore.readMirrorPosition())!, line: null });
    await follow();
    assert.deepEqual(await store.read.find('post', id), await origin.read.find('post', id));
  });

thoroughTest('a mirror of a mirror hides what the other one hides, until that shows it', async (t) => {
  const [{ store: origin }, { store, follow }] = await setUpMirror(t);
  await hide(origin, IDEA, toLocalReason('spam'));
  await follow();
  const newestReason = async () => (await store.read.moderations(1))[0]?.reason;
  assert.equal(await newestReason(), 'spam');
  await unhide(origin, IDEA, toLocalReason('a mistake'));
  await follow();
  assert.deepEqual(await store.read.find('post', IDEA), await origin.read.find('post', IDEA));
  await hide(origin, IDEA, toLocalReason(''));
  await follow();
  assert.equal(await newestReason(), 'on this mirror:');
});

thoroughTest('an export of a mirror that lacks what was hidden before can be imported', async (t) => {
  const [{ store: origin }, { store, privateStore, follow }] = await setUpMirror(t);
  await hide(origin, IDEA);
  await follow();
  const folder = await temporaryFolder(t);
  const file = join(folder, 'export.jsonl');
  await exportAll.run(store, commandArgs({ positionals: [file], privateStore }), SILENT);
  const restored = { DATA_DIR: join(folder, 'restored') };
  await runSuccessfully(['import', file], restored);
  assert.equal(await runSuccessfully(['export', '-'], restored), readFileSync(file, 'utf8'));
});

test('a mirror that was cut off before it stored its position stores nothing twice', async (t) => {
  const app = await setUp(t);
  const dataDir = await temporaryFolder(t);
  const { store, follow } = await openMirror(t, app.url, { dataDir });
  await follow();
  const position = readFileSync(positionIn(dataDir), 'utf8');
  await hide(app.store, IDEA);
  await addNote(app.store, 'x');
  await follow();
  writeFileSync(positionIn(dataDir), position);
  await follow();
  assert.deepEqual(await publicOf(store), await publicOf(app.store));
});

test('a store that lacks the line of its position reads the log from the beginning', async (t) => {
  const app = await setUp(t);
  const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)];
  await (await openMirror(t, app.url, { dataDir: folder })).follow();
  const { store, follow, status } = await openMirror(t, app.url, { dataDir: other });
  cpSync(join(folder, 'private'), join(other, 'private'), { recursive: true });
  await follow();
  assert.match(status[0]!, /reading the log from the beginning/);
  assert.deepEqual(await publicOf(store), await publicOf(app.store));
});

for (const [engine, breakPosition] of firstOf([
  ['a folder', (folder: string, content: string) => writeFileSync(positionIn(folder), content)],
  ['a database', setPosition],
] as const))
  test(`a mirror in ${engine} whose position is garbage says what to write there, and that works`, async (t) => {
    const app = await setUp(t);
    const place =
      engine === 'a folder' ? { dataDir: await temporaryFolder(t) } : { databaseUrl: await newDatabase(t) };
    const address = Object.values(place)[0]!;
    const { store, follow, privateStore } = await openMirror(t, app.url, place);
    await follow();
    const before = await publicOf(store);
    let sentence = '';
    for (const garbage of ['"x"', '{"origin":1}', ...(engine === 'a folder' ? ['', '{', '\0'] : [])]) {
      await breakPosition(address, garbage);
      await assert.rejects(privateStore.readMirrorPosition(), (error: Error) => {
        sentence = error.message;
        return error.name === 'StoreFailure';
      });
    }
    assert.ok(
      sentence.startsWith(
        `${engine === 'a folder' ? positionIn(address) : 'The row of the table mirror'} is damaged: `,
      ),
      sentence,
    );
    await breakPosition(address, /\{.*\}/.exec(sentence)![0].replace('https://…', app.url));
    await addNote(app.store, 'later');
    await follow();
    assert.deepEqual(await publicOf(store), await publicOf(app.store));
    assert.notDeepEqual(await publicOf(store), before);
  });

describe('a mirror stops and changes nothing', () => {
  async function assertStops(
    { store, follow }: TestMirror,
    expected: { exitCode: number; message: RegExp },
  ): Promise<void> {
    const before = await publicOf(store);
    await assert.rejects(follow(), expected);
    assert.deepEqual(await publicOf(store), before);
  }

  it('if the store is not empty and no mirror', async (t) => {
    const [, mirror] = await setUpMirror(t);
    await addPosts(mirror.store, [aPost('own')]);
    await assertStops(mirror, { exitCode: 1, message: /^The store is neither empty nor a mirror/ });
  });

  it('if the store is a mirror of another origin', async (t) => {
    const app = await setUp(t);
    const dataDir = await temporaryFolder(t);
    await (await openMirror(t, app.url, { dataDir })).follow();
    const other = await openMirror(t, 'http://other.invalid', { dataDir });
    await assertStops(other, { exitCode: 1, message: new RegExp(`is a mirror of ${app.url}`) });
  });

  it('if the origin was restored from an older backup, and has outgrown it', async (t) => {
    const app = await setUp(t);
    const dataDir = await temporaryFolder(t);
    const { follow } = await openMirror(t, app.url, { dataDir });
    await addPosts(app.store, [aPost('lost')]);
    await follow();
    const restored = await setUp(t);
    await addPosts(restored.store, [aPost('new'), aPost('newer')]);
    const position = JSON.parse(readFileSync(positionIn(dataDir), 'utf8'));
    writeFileSync(positionIn(dataDir), JSON.stringify({ ...position, origin: restored.url }));
    await assertStops(await openMirror(t, restored.url, { dataDir }), {
      exitCode: 4,
      message: new RegExp(
        `^Line ${position.line.n} of the log of ${restored.url} is no longer the one about "${position.line.id}"`,
      ),
    });
  });

  it('if the origin was restored, and its line is about the same record', async (t) => {
    const app = await setUp(t, { empty: true });
    const dataDir = await temporaryFolder(t);
    const { follow, store } = await openMirror(t, app.url, { dataDir });
    const [secret] = await addPosts(app.store, [aPost('a secret')]);
    const { record } = secret!;
    await hide(app.store, record.id);
    await unhide(app.store, record.id);
    await follow();
    assert.ok(await store.read.find('post', record.id));
    const restored = await setUp(t, { empty: true });
    const at = '2026-03-02T15:59:00.000000Z';
    const { id } = record;
    await importEntries(restored.store, [
      { kind: 'post', record },
      { action: 'hide', id, at, reason: 'x' },
      { action: 'erase', id, at, reason: 'x' },
    ]);
    const position = JSON.parse(readFileSync(positionIn(dataDir), 'utf8'));
    const moved = JSON.stringify({ ...position, origin: restored.url });
    writeFileSync(positionIn(dataDir), moved);
    await assertStops(await openMirror(t, restored.url, { dataDir }), {
      exitCode: 4,
      message: new RegExp(`^Line 3 of the log of .* is no longer the one about "${record.id}"`),
    });
    assert.equal(readFileSync(positionIn(dataDir), 'utf8'), moved);
  });

  it('if a record of the origin has another text', async (t) => {
    const app = await setUp(t);
    const dataDir = await temporaryFolder(t);
    const { follow } = await openMirror(t, app.url, { dataDir });
    await follow();
    const other = await setUp(t, { empty: true });
    const { record } = (await app.store.read.find('post', IDEA))!;
    await importEntries(other.store, [
      { kind: 'post', record: { ...aPost('new'), createdAt: '2020-01-01T00:00:00.000000Z' } },
      { kind: 'post', record: { ...record, message: 'rewritten' } },
    ]);
    writeFileSync(positionIn(dataDir), JSON.stringify({ origin: other.url, line: null, moderation: null }));
    await assertStops(await openMirror(t, other.url, { dataDir }), {
      exitCode: 4,
      message: new RegExp(`^"${IDEA}" of ${other.url} is not the record that this mirror has`),
    });
  });
});
