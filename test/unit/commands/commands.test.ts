import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import type { CommandOutput } from '#commands/command.ts';
import { COMMANDS } from '#commands/commands.ts';
import { importAll } from '#commands/import.ts';
import { openJsonlStore } from '#store/jsonl/jsonl-store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LAUNCHER, post, startProduct } from '../../support/product.ts';

const SILENT: CommandOutput = {
  printResult: () => undefined,
  logStatus: () => undefined,
  progress: () => ({ advance: () => undefined, done: () => undefined }),
};

interface Result {
  status: number | null;
  stdout: string;
  stderr: string;
}

const runCli = (folder: string, ...args: string[]): Result =>
  spawnSync(process.execPath, [LAUNCHER, ...args], {
    encoding: 'utf8',
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], DATA_DIR: folder },
  });

const runSuccessfully = (folder: string, ...args: string[]): string => {
  const { status, stdout, stderr } = runCli(folder, ...args);
  assert.equal(status, 0, stderr);
  return stdout;
};

it('a post hidden while a server runs disappears from every surface, and unhide restores it', async (test) => {
  const folder = await temporaryFolder(test);
  const { url, end } = await startProduct({ DATA_DIR: folder });
  const get = async (path: string): Promise<string> => await (await fetch(url + path)).text();
  const { id } = (await (await post(url, 'IDEA: a lantern nobody asked for')).json()) as { id: string };
  const surfaces = ['/api/feed', '/api/start', '/feed.xml', `/api/posts/${id}`, `/posts/${id}`];
  for (const path of surfaces) assert.match(await get(path), /lantern nobody/, path);

  runSuccessfully(folder, 'hide', id, '--reason', 'advertising');
  for (const path of surfaces) assert.doesNotMatch(await get(path), /lantern nobody/, path);
  const { totals } = JSON.parse(await get('/api/feed')) as { totals: { messages: number } };
  assert.equal(totals.messages, 0);
  const reply = await fetch(`${url}/api/feed`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ message: 'x', replyTo: id }),
  });
  assert.equal(reply.status, 422);
  const { entries } = JSON.parse(await get('/api/moderation')) as { entries: { at: string }[] };
  assert.deepEqual(entries, [{ id, action: 'hide', at: entries[0]?.at, reason: 'advertising' }]);
  assert.match(runSuccessfully(folder, 'moderation'), new RegExp(`hide +${id} +advertising`));

  runSuccessfully(folder, 'unhide', id, '--reason', 'a mistake');
  for (const path of surfaces) assert.match(await get(path), /lantern nobody/, path);
  await end('SIGTERM');
});

it('erase removes the text from every file in the folder of a running server', async (test) => {
  const folder = await temporaryFolder(test);
  const { url, end } = await startProduct({ DATA_DIR: folder });
  const { id } = (await (await post(url, 'a telephone number')).json()) as { id: string };
  await post(url, 'something else');
  runSuccessfully(folder, 'erase', id, '--reason', 'private data');
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
    fetch(`${url}/api/feed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'before-the-frost' },
      body: '{"message":"once"}',
    });
  const first = (await (await keyed()).json()) as { id: string };
  runSuccessfully(folder, 'freeze');
  const refused = await post(url, 'x');
  assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [503, '60']);
  assert.equal(((await refused.json()) as { code: string }).code, 'frozen');
  const replayed = await keyed();
  assert.equal(replayed.status, 201);
  assert.equal(((await replayed.json()) as { id: string }).id, first.id);
  assert.equal((await fetch(`${url}/api/feed`)).status, 200);
  assert.equal(runCli(folder, 'freeze').status, 1);
  runSuccessfully(folder, 'thaw');
  assert.equal((await post(url, 'x')).status, 201);
  await end('SIGTERM');
});

it('above STORE_MAX_BYTES the server rejects posts, and import and hide still work', async (test) => {
  const [folder, source] = [await temporaryFolder(test), await temporaryFolder(test)];
  await fillFolder(source);
  runSuccessfully(source, 'export', join(folder, 'all.jsonl'));
  const { url, log, end } = await startProduct({
    DATA_DIR: join(folder, 'data'),
    STORE_MAX_BYTES: '2000',
    LOG_LEVEL: 'warn',
  });
  const { id } = (await (await post(url, 'x'.repeat(3000))).json()) as { id: string };
  const refused = await post(url, 'x');
  assert.deepEqual([refused.status, refused.headers.get('Retry-After')], [503, '600']);
  assert.equal(((await refused.json()) as { code: string }).code, 'storage_full');
  assert.equal((await fetch(`${url}/api/feed`)).status, 200);
  assert.equal((log().match(/STORE_MAX_BYTES=2000: writes are refused/g) ?? []).length, 1);
  const data = join(folder, 'data');
  runSuccessfully(data, 'hide', id, '--reason', 'x');
  runSuccessfully(data, 'import', join(folder, 'all.jsonl'));
  assert.equal((await post(url, 'x')).status, 503);
  assert.equal((log().match(/writes are refused/g) ?? []).length, 1);
  await end('SIGTERM');
});

/** Stores records of every kind, among them a hidden and an erased one. */
async function fillFolder(folder: string): Promise<void> {
  const { url, end } = await startProduct({ DATA_DIR: folder });
  const send = async (path: string, body: object): Promise<string> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
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
  runSuccessfully(folder, 'hide', work, '--reason', 'spam');
  runSuccessfully(folder, 'erase', other, '--reason', 'private');
  await end('SIGTERM');
}

describe('export and import', () => {
  it('reproduce the same bytes, skip known entries, and leave out client keys', async (test) => {
    const [from, to] = [await temporaryFolder(test), await temporaryFolder(test)];
    await fillFolder(from);
    const exported = runSuccessfully(from, 'export', '-');
    assert.doesNotMatch(exported, /local|visitor|to be erased/);
    const file = join(to, 'export.jsonl');
    writeFileSync(file, exported);
    const target = join(to, 'data');
    assert.match(runCli(target, 'import', file).stderr, /Imported 7, skipped 0/);
    assert.equal(runSuccessfully(target, 'export', '-'), exported);
    assert.match(runCli(target, 'import', file).stderr, /Imported 0, skipped 7/);
    assert.equal(runSuccessfully(target, 'export', '-'), exported);
    assert.match(
      runSuccessfully(target, 'check'),
      /The store is whole: 2 posts \(1 visible\), 1 guest book notes/,
    );
    assert.equal(runCli(target, 'export', file).status, 1);
  });

  const HEADER = '{"porchlight":"export","format":1}';
  const record = (fields: object): string =>
    JSON.stringify({
      guest: {
        id: 'guest_1',
        name: 'a',
        kind: null,
        note: 'b',
        createdAt: '2026-01-01T00:00:00.000000Z',
        ...fields,
      },
    });
  const INVALID: [description: string, lines: string[], message: RegExp][] = [
    ['an empty file', [], /The file is empty/],
    ['another kind of file', ['{"posts":[]}'], /Line 1 is not the beginning/],
    ['a line that is not JSON', [HEADER, record({}), '{"guest":'], /Line 3 is not JSON/],
    ['a line of another kind', [HEADER, '{"visitor":{}}'], /Line 2 is no record/],
    [
      'an empty text',
      [HEADER, record({}), record({ id: 'guest_2', note: '' })],
      /Line 3 is no record: note is empty/,
    ],
    ['an additional field', [HEADER, record({ address: '203.0.113.9' })], /Line 2 is no record/],
    [
      'a time that is no stamp',
      [HEADER, record({ createdAt: '2026-01-01T00:00:00Z' })],
      /Line 2 .*createdAt/,
    ],
    ['an id of another kind', [HEADER, record({ id: 'post_1' })], /Line 2 .*id of a guest/],
    [
      'the time of another record',
      [HEADER, record({}), record({ id: 'guest_2' })],
      /Line 3 has the createdAt of another record/,
    ],
    [
      'moderation of nothing',
      [
        HEADER,
        '{"moderation":{"action":"hide","id":"post_1","at":"2026-01-01T00:00:00.000000Z","reason":"x"}}',
      ],
      /Line 2 moderates a record that is not there/,
    ],
  ];
  for (const [description, lines, message] of INVALID) {
    it(`import rejects ${description}, names the line, and imports nothing`, async (test) => {
      const folder = await temporaryFolder(test);
      const store = await openJsonlStore({ folder, clock: { now: () => 0 }, report: () => undefined });
      test.after(() => store.close());
      const file = join(folder, 'export.jsonl');
      writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
      await assert.rejects(
        importAll.run(
          store,
          { positionals: [file], reason: undefined, target: undefined, resume: false, json: false },
          SILENT,
        ),
        (error: Error) =>
          error.name === 'CommandError' &&
          message.test(error.message) &&
          error.message.includes('othing was imported'),
      );
      for await (const entry of store.read.history()) assert.fail(JSON.stringify(entry));
    });
  }
});

const FAILING: [args: string[], code: number, message: RegExp][] = [
  [['hide'], 2, /Write: porchlight hide ID --reason TEXT/],
  [['hide', 'post_1'], 2, /Write: porchlight hide/],
  [['hide', 'post_1', '--reason', ' '], 1, /The reason is blank/],
  [['hide', 'post_1', '--reason', 'x'], 1, /no visible record/],
  [['unhide', '__proto__', '--reason', 'x'], 1, /no hidden record/],
  [['erase', 'post_1', '--reason', 'x'], 1, /no record/],
  [['thaw'], 1, /not frozen/],
  [['check', '--colour'], 2, /no flag of this name\.\nWrite: porchlight check \[--json\]/],
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
    await (await openJsonlStore({ folder, clock: { now: () => 0 }, report: () => undefined })).close();
  });

  after(() => rm(folder, { recursive: true }));

  for (const [args, code, message] of FAILING) {
    it(args.join(' '), () => {
      const { status, stderr } = runCli(folder, ...args);
      assert.equal(status, code, stderr);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /^ {4}at /m);
    });
  }
});

it('a command on a folder without a store fails and creates no file', async (test) => {
  const folder = await temporaryFolder(test);
  const { status, stderr } = runCli(folder, 'hide', 'post_1', '--reason', 'x');
  assert.equal(status, 1);
  assert.match(stderr, /there is no store/);
  assert.deepEqual(readdirSync(folder), []);
});

it('import of a missing file, or of a file that is no export, creates no store', async (test) => {
  const folder = await temporaryFolder(test);
  const [data, file] = [join(folder, 'data'), join(folder, 'other.jsonl')];
  writeFileSync(file, '{"posts":[]}\n');
  assert.equal(runCli(data, 'import', join(folder, 'absent.jsonl')).status, 1);
  assert.match(runCli(data, 'import', file).stderr, /Line 1 is not the beginning/);
  assert.deepEqual(readdirSync(folder), ['other.jsonl']);
});

it('moderation and check print JSON with --json', async (test) => {
  const folder = await temporaryFolder(test);
  await fillFolder(folder);
  const { entries } = JSON.parse(runSuccessfully(folder, 'moderation', '--json')) as { entries: object[] };
  assert.deepEqual(
    entries.map((entry) => Object.keys(entry)),
    entries.map(() => ['id', 'action', 'at', 'reason']),
  );
  assert.equal(entries.length, 2);
  assert.deepEqual(JSON.parse(runSuccessfully(folder, 'check', '--json')), {
    posts: { total: 2, visible: 1 },
    guestNotes: { total: 1, visible: 1 },
    projects: { total: 1, visible: 1 },
    projectNotes: 1,
    moderations: 2,
    frozen: false,
    writable: true,
    reason: null,
  });
});

it('import is the only command that creates a store', () => {
  const names = Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.makesStore === true);
  assert.deepEqual(names, ['import']);
});
