import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { COMMANDS } from '#commands/commands.ts';
import { importAll } from '#commands/import.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { commandArgs, SILENT } from '../../support/commands.ts';
import { exportLine } from '../../support/export-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { postJson } from '../../support/http/post-json.ts';
import { anOrigin } from '../../support/store/records.ts';
import { addPost, importEntries } from '../../support/store/writes.ts';
import {
  LAUNCHER,
  pipeStore,
  post,
  runProgram,
  runSuccessfully,
  startProduct,
} from '../../support/product.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

async function runImport(store: Store, file: string): Promise<void> {
  const input = await importAll.openInput!([file], [], NOW);
  try {
    await importAll.run(store, commandArgs({ positionals: [file], input, now: () => NOW }), SILENT);
  } finally {
    await input.close();
  }
}

it('erase removes the text from every file in the folder of a running server', async (test) => {
  const folder = await temporaryFolder(test);
  const { url, end } = await startProduct({ DATA_DIR: folder });
  const { id } = (await (await post(url, 'a telephone number')).json()) as { id: string };
  await post(url, 'something else');
  await runSuccessfully(['erase', id, '--reason', 'private data'], { DATA_DIR: folder });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const bytes = files
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('');
  assert.doesNotMatch(bytes, /telephone/);
  assert.match(bytes, /something else/);
  assert.equal((await fetch(`${url}/api/posts/${id}`)).status, 404);
  assert.equal((await post(url, 'goes on')).status, 201);
  await end('SIGTERM');
});

it('while writing is frozen reads succeed, new writes get 503, and a retry with its key gets the first response', async (test) => {
  const folder = await temporaryFolder(test);
  const { url, end } = await startProduct({ DATA_DIR: folder });
  const keyed = (): Promise<Response> =>
    postJson(`${url}/api/feed`, { message: 'once' }, { 'Idempotency-Key': 'before-the-frost' });
  const first = (await (await keyed()).json()) as { id: string };
  await runSuccessfully(['freeze'], { DATA_DIR: folder });
  const refused = await post(url, 'x');
  assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [503, '60']);
  assert.equal(((await refused.json()) as { code: string }).code, 'frozen');
  const replayed = await keyed();
  assert.equal(replayed.status, 201);
  assert.equal(((await replayed.json()) as { id: string }).id, first.id);
  assert.equal((await fetch(`${url}/api/feed`)).status, 200);
  assert.equal((await runProgram(['freeze'], { DATA_DIR: folder })).status, 1);
  await runSuccessfully(['thaw'], { DATA_DIR: folder });
  assert.equal((await post(url, 'x')).status, 201);
  await end('SIGTERM');
});

/** Stores records of every kind, among them a hidden and an erased one. */
async function fillFolder(folder: string): Promise<void> {
  const { url, end } = await startProduct({ DATA_DIR: folder });
  const send = async (path: string, body: object): Promise<string> => {
    const response = await postJson(url + path, body);
    assert.equal(response.status, 201);
    return ((await response.json()) as { id: string }).id;
  };
  const idea = await send('/api/feed', { message: 'IDEA: \u2028 \u{1F3EE} "quoted" \\ back\r\nslash' });
  const work = await send('/api/feed', { message: 'WORK: x', replyTo: idea });
  const other = await send('/api/feed', { message: 'to be erased', replyTo: idea });
  await send('/api/guestbook', { name: 'a', note: 'b' });
  const project = await send('/api/projects', {
    title: 't',
    summary: 's',
    by: 'b',
    url: 'https://example.org',
  });
  await send(`/api/projects/${project}/notes`, { name: 'n', note: 'm' });
  await runSuccessfully(['hide', work, '--reason', 'spam'], { DATA_DIR: folder });
  await runSuccessfully(['erase', other, '--reason', 'private'], { DATA_DIR: folder });
  await end('SIGTERM');
}

it('a store leaves other files of its folder as they are, such as those of a checkout', async (test) => {
  const [folder, exports] = [await temporaryFolder(test), await temporaryFolder(test)];
  const program = join(import.meta.dirname, '../../../data/demo');
  cpSync(program, join(folder, 'demo'), { recursive: true });
  await fillFolder(folder);
  const file = join(exports, 'all.jsonl');
  const settings = { DATA_DIR: folder };
  await runSuccessfully(['export', file], settings);
  for (const args of [['check'], ['import', file], ['forget'], ['repair']])
    await runSuccessfully(args, settings);
  await runSuccessfully(['salvage', folder, '--to', join(exports, 'left.jsonl')], {});
  assert.equal(readFileSync(join(exports, 'left.jsonl'), 'utf8'), readFileSync(file, 'utf8'));
  const filesOf = (path: string): string[][] =>
    readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
  assert.deepEqual(filesOf(join(folder, 'demo')), filesOf(program));
});

describe('export and import', () => {
  it('reproduce the same bytes, skip known entries, and leave out client keys', async (test) => {
    const [from, to] = [await temporaryFolder(test), await temporaryFolder(test)];
    await fillFolder(from);
    const exported = await runSuccessfully(['export', '-'], { DATA_DIR: from });
    assert.doesNotMatch(exported, /local|visitor|to be erased/);
    const file = join(to, 'export.jsonl');
    writeFileSync(file, exported);
    const target = join(to, 'data');
    assert.match((await runProgram(['import', file], { DATA_DIR: target })).stderr, /Imported 7, skipped 0/);
    assert.equal(await runSuccessfully(['export', '-'], { DATA_DIR: target }), exported);
    assert.match((await runProgram(['import', file], { DATA_DIR: target })).stderr, /Imported 0, skipped 7/);
    assert.equal(await runSuccessfully(['export', '-'], { DATA_DIR: target }), exported);
    const checked = await runSuccessfully(['check'], { DATA_DIR: target });
    assert.match(checked, /The store is intact: 2 posts \(1 visible\), 1 guest book notes/);
    assert.equal((await runProgram(['export', file], { DATA_DIR: target })).status, 1);
  });

  it('copy a store through a pipe, and fail without a trace if either side does', async (test) => {
    const [from, to] = [await temporaryFolder(test), await temporaryFolder(test)];
    await fillFolder(from);
    const settings = { DATA_DIR: join(to, 'data') };
    const nothing = await pipeStore({ DATA_DIR: join(to, 'none') }, settings);
    assert.equal(nothing.status, 1);
    assert.match(nothing.stderr, /there is no store[^]*The file is empty\. Nothing was imported\.\n$/);
    assert.deepEqual(readdirSync(to), []);
    assert.equal((await pipeStore({ DATA_DIR: from }, settings)).status, 0);
    const again = await pipeStore({ DATA_DIR: from }, settings);
    assert.match(again.stderr, /Imported 0, skipped 7 existing\.\n$/);
    writeFileSync(join(to, 'a file'), '');
    assert.equal((await pipeStore({ DATA_DIR: from }, { DATA_DIR: join(to, 'a file') })).status, 1);
  });

  it('an export that fails between two lines ends without a line feed', async (test) => {
    const folder = await temporaryFolder(test);
    await fillFolder(folder);
    const store = await openFolderStore({ folder, clock: { now: () => NOW }, report: () => undefined });
    async function* history(): ReturnType<Store['read']['history']> {
      for await (const entry of store.read.history()) {
        yield entry;
        if ('action' in entry) throw new Error('the disk');
      }
    }
    const failing = { ...store, read: { history } as unknown as Store['read'] };
    let written = '';
    const { mock } = test.mock.method(process.stdout, 'write', (text: string) => {
      written += text;
      return true;
    });
    await assert.rejects(
      COMMANDS['export']!.run(failing, commandArgs({ positionals: ['-'] }), SILENT),
      /disk/,
    );
    mock.restore();
    await store.close();
    assert.match(written, /^\{"porchlight":"export"[^]*\}\n$/);
    assert.doesNotMatch(written, /"end"/);
  });

  const HEADER = '{"porchlight":"export","format":1}';
  const record = (fields: object): string => exportLine('guest', fields);
  /** A post with a number as its id and as its time, in a thread of its own if it names no other. */
  const aPost = (number: number, fields: object = {}): string => {
    const id = `post_${number}`;
    return exportLine('post', {
      id,
      rootId: id,
      createdAt: `2026-01-01T00:00:00.00000${number}Z`,
      ...fields,
    });
  };
  const reply = (parent: number, root: number): object => ({
    parentId: `post_${parent}`,
    rootId: `post_${root}`,
  });

  it('an export into a pipe that is read late is whole', async (test) => {
    const folder = await temporaryFolder(test);
    const to = { DATA_DIR: join(folder, 'to') };
    const file = join(folder, 'export.jsonl');
    // A pipe takes less than that at once, and the rest waits in the process.
    const lines = Array.from({ length: 60 }, (_, number) =>
      record({
        id: `guest_${number}`,
        note: 'a'.repeat(1000),
        createdAt: `2026-01-01T00:00:00.0000${10 + number}Z`,
      }),
    );
    writeFileSync(file, [HEADER, ...lines, ''].join('\n'));
    await runSuccessfully(['import', file], to);
    const { stdout } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${LAUNCHER}" export - | (sleep 2; cat)`],
      {
        cwd: tmpdir(),
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], ...to },
      },
    );
    assert.equal(stdout.trim().split('\n').length, 62);
  });

  it('import takes replies in any order, and those whose thread has lost its first posts', async (test) => {
    const folder = await temporaryFolder(test);
    const lines = [HEADER, aPost(3, reply(2, 1)), aPost(2, reply(1, 1)), aPost(1), aPost(5, reply(4, 0))];
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    const to = { DATA_DIR: join(folder, 'to') };
    await runSuccessfully(['import', file], to);
    const again = [HEADER, aPost(6, reply(5, 0)), aPost(7, reply(3, 1))];
    writeFileSync(file, again.map((line) => `${line}\n`).join(''));
    await runSuccessfully(['import', file], to);
    assert.equal((await runSuccessfully(['export', '-'], to)).trim().split('\n').length, 8);
  });

  it('import rejects a reply whose root is not that of its parent in the store', async (test) => {
    const folder = await temporaryFolder(test);
    const store = await openFolderStore({ folder, clock: { now: () => 0 }, report: () => undefined });
    test.after(() => store.close());
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, `${HEADER}\n${aPost(1)}\n${aPost(2)}\n`);
    await runImport(store, file);
    writeFileSync(file, `${HEADER}\n${aPost(3, reply(1, 2))}\n`);
    await assert.rejects(runImport(store, file), /Line 2 is a post that replies to a post of another thread/);
  });

  it('import takes the longest text in its longest spelling', async (test) => {
    const folder = await temporaryFolder(test);
    const file = join(folder, 'export.jsonl');
    const spelling = '\\ud83d\\ude00'.repeat(8000);
    const line = aPost(1).replace('"message":"a"', `"message":"${spelling}"`);
    writeFileSync(file, `${HEADER}\n${line}\n`);
    const to = { DATA_DIR: join(folder, 'to') };
    await runSuccessfully(['import', file], to);
    const exported = await runSuccessfully(['export', '-'], to);
    assert.equal(exported.trim().split('\n')[1], aPost(1, { message: '\u{1F600}'.repeat(8000) }));
  });

  /** Lines behind the header. */
  const INVALID: [description: string, lines: (string | Buffer)[], message: RegExp][] = [
    ['an additional field', [record({ address: '203.0.113.9' })], /Line 2 is not a valid record/],
    ['an id of another kind', [record({ id: 'post_1' })], /Line 2 .*id of a guest/],
    ['the time of another record', [record({}), record({ id: 'guest_2' })], /Line 3 .*createdAt of another/],
    [
      'a field named in escape sequences',
      [record({ '\u001b[2J': 1 })],
      /Line 2 .*it has a field that this version does not know\. /,
    ],
    [
      'a moderation whose id holds escape sequences',
      [
        '{"moderation":{"action":"erase","id":"\\u001b]0;x\\u0007","at":"2026-01-01T00:00:00.000000Z","reason":"x"}}',
      ],
      /Line 2 is not a valid record: id must be the id of a record\. /,
    ],
    [
      'a record more than a minute ahead of the clock',
      [
        record({ createdAt: '2026-11-21T10:01:00.000000Z' }),
        record({ id: 'guest_2', createdAt: '2026-11-21T10:01:00.001000Z' }),
      ],
      /Line 3 has a timestamp that is more than a minute ahead/,
    ],
    [
      'bytes that are not UTF-8',
      [record({}), Buffer.from(record({ id: 'guest_2', note: '\u00ff' }), 'latin1')],
      /Line 3 is not valid UTF-8/,
    ],
    ['a post that replies to itself', [aPost(1), aPost(2, reply(2, 1))], /Line 3 .*replies to itself/],
    [
      'a first post with the root of another',
      [aPost(1), aPost(2, { rootId: 'post_1' })],
      /Line 3 .*no parentId/,
    ],
    ['a reply that is its own root', [aPost(1), aPost(2, reply(1, 2))], /Line 3 .*a reply, so its rootId/],
    [
      'a reply with another root',
      [aPost(3, reply(1, 2)), aPost(1), aPost(2)],
      /Line 2 .*a post of another thread/,
    ],
    [
      'a reply older than its parent',
      [aPost(2, reply(3, 1)), aPost(3, reply(1, 1)), aPost(1)],
      /Line 2 .*not later than the post/,
    ],
    [
      'a root that is a reply',
      [aPost(1), aPost(2, reply(1, 1)), aPost(4, reply(3, 2))],
      /Line 4 .*rootId of a reply/,
    ],
  ];
  for (const [description, lines, message] of INVALID) {
    it(`import rejects ${description}, names the line, and imports nothing`, async (test) => {
      const folder = await temporaryFolder(test);
      const store = await openFolderStore({ folder, clock: { now: () => 0 }, report: () => undefined });
      test.after(() => store.close());
      const file = join(folder, 'export.jsonl');
      writeFileSync(
        file,
        Buffer.concat([HEADER, ...lines].flatMap((line) => [Buffer.from(line), Buffer.from('\n')])),
      );
      await assert.rejects(
        runImport(store, file),
        (error: Error) =>
          error.name === 'CommandError' &&
          message.test(error.message) &&
          !error.message.includes('\u001b') &&
          error.message.includes('othing was imported'),
      );
      for await (const entry of store.read.history()) assert.fail(JSON.stringify(entry));
    });
  }
});

const FAILING: [args: string[], code: number, message: RegExp][] = [
  [['hide'], 2, /Write: porchlight hide \[ID\.\.\.\] --reason TEXT/],
  [['hide', 'post_1'], 2, /Write: porchlight hide/],
  [['hide', 'post_1', '--reason', ' '], 1, /The reason is blank/],
  [['hide', 'post_1', '--reason', 'x'], 1, /no visible record/],
  [['unhide', '__proto__', '--reason', 'x'], 1, /no hidden record/],
  [['erase', 'post_1', '--reason', 'x'], 1, /no record/],
  [['thaw'], 1, /not frozen/],
  [['check', '--colour'], 2, /no flag with this name\.\nWrite: porchlight check \[--json\]/],
  [['check', 'post_1'], 2, /Too many arguments for 'check'/],
  [['hide', 'post_1', '--reason'], 2, /Option '--reason <TEXT>' argument missing\./],
  [['import', '/nowhere/at/all'], 1, /cannot be read: no such file or directory \(ENOENT\)/],
  [['import', '.'], 1, /cannot be read: illegal operation on a directory \(EISDIR\)/],
  [['export', '/'], 1, /cannot be created: .* \(E\w+\)/],
];

describe('a command that fails prints the reason and exits with a code', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'porchlight-'));
    await (await openFolderStore({ folder, clock: { now: () => 0 }, report: () => undefined })).close();
  });

  after(() => rm(folder, { recursive: true }));

  for (const [args, code, message] of FAILING) {
    it(args.join(' '), async () => {
      const { status, stderr } = await runProgram(args, { DATA_DIR: folder });
      assert.equal(status, code, stderr);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /^ {4}at /m);
    });
  }
});

for (const args of [['hide', 'post_1', '--reason', 'x'], ['repair'], ['status'], ['export', '-']])
  it(`${args[0]} fails on a folder without a store and on a missing one, and creates no file`, async (test) => {
    const folder = await temporaryFolder(test);
    for (const name of [folder, join(folder, 'data')]) {
      const { status, stderr } = await runProgram(args, { DATA_DIR: name });
      assert.equal(status, 1);
      assert.match(stderr, /there is no store/);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

it('forget destroys the expired keys of a stopped store in KEYS_DIR, and prints how many', async (test) => {
  const [folder, keys] = [join(await temporaryFolder(test), 'data'), await temporaryFolder(test)];
  const clock = { now: () => Date.now() - 9 * 86_400_000 };
  const store = await openFolderStore({ folder, keysFolder: keys, clock, report: () => undefined });
  await addPost(store, 'x', anOrigin('192.0.2.1'));
  await store.close();
  assert.equal(readdirSync(keys).length, 1);
  const results = ['Destroyed 1 expired key.\n', 'Nothing had expired.\n'];
  for (const stderr of results)
    assert.equal((await runProgram(['forget', '--keys-dir', keys], { DATA_DIR: folder })).stderr, stderr);
  assert.deepEqual(readdirSync(keys), []);
});

it('moderation and check print JSON with --json', async (test) => {
  const folder = await temporaryFolder(test);
  await fillFolder(folder);
  const { entries } = JSON.parse(await runSuccessfully(['moderation', '--json'], { DATA_DIR: folder })) as {
    entries: object[];
  };
  const fields = entries.map((entry) => Object.keys(entry));
  assert.deepEqual(
    fields,
    entries.map(() => ['id', 'action', 'at', 'reason']),
  );
  assert.equal(entries.length, 2);
  assert.deepEqual(JSON.parse(await runSuccessfully(['check', '--json'], { DATA_DIR: folder })), {
    posts: { total: 2, visible: 1 },
    guestNotes: { total: 1, visible: 1 },
    projects: { total: 1, visible: 1 },
    projectNotes: 1,
    moderations: 2,
    newest: (entries[0] as { at: string }).at,
    aheadOfClock: false,
    frozen: false,
    writable: true,
    reason: null,
  });
});

it('moderation prints no control character that an older store holds', async (test) => {
  const folder = await temporaryFolder(test);
  const store = await openFolderStore({ folder, clock: { now: () => NOW }, report: () => undefined });
  const entry = { action: 'erase', at: '2026-01-01T00:00:00.000000Z' } as const;
  await importEntries(store, [
    { ...entry, id: '\u001b]0;x\u0007\u009b2J', reason: 'a\nb\u202ec\u2028d\u007f' },
  ]);
  await store.close();
  assert.equal(
    await runSuccessfully(['moderation'], { DATA_DIR: folder }),
    `${entry.at}  erase   \\u001b]0;x\\u0007\\u009b2J  a\\u000ab\\u202ec\\u2028d\\u007f\n`,
  );
  const json = await runSuccessfully(['moderation', '--json'], { DATA_DIR: folder });
  assert.match(json, /^[\x20-\x7e]+\n$/);
  assert.deepEqual(JSON.parse(json), {
    entries: [{ ...entry, id: '\u001b]0;x\u0007\u009b2J', reason: 'a\nb\u202ec\u2028d\u007f' }],
  });
  const copied = await pipeStore({ DATA_DIR: folder }, { DATA_DIR: join(folder, 'copy') });
  assert.equal(copied.status, 1);
  const refusal = 'Line 2 is not a valid record: id must be the id of a record. Nothing was imported.\n';
  assert.ok(copied.stderr.endsWith(refusal), copied.stderr);
});

it('check warns of a newest timestamp that is ahead of the clock', async (test) => {
  const folder = await temporaryFolder(test);
  const store = await openFolderStore({
    folder,
    clock: { now: () => Date.now() + 3_600_000 },
    report: () => undefined,
  });
  await addPost(store, 'x');
  await store.close();
  const checked = await runSuccessfully(['check'], { DATA_DIR: folder });
  assert.match(checked, /^The newest timestamp, 2\S+Z, is ahead of the clock/m);
  const report = JSON.parse(await runSuccessfully(['check', '--json'], { DATA_DIR: folder })) as Record<
    string,
    unknown
  >;
  assert.equal(report['aheadOfClock'], true);
});

it('import is the only command that creates a store', () => {
  const names = Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.createsStore === true);
  assert.deepEqual(names, ['import']);
});
