import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { COMMANDS } from '#commands/commands.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Store } from '#store/port/store.ts';
import { runCommand } from '../../support/commands.ts';
import { exportLine } from '../../support/export-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { postJson } from '../../support/http/post-json.ts';
import { anOrigin } from '../../support/store/records.ts';
import { addPost, erase, hide, importEntries } from '../../support/store/writes.ts';
import {
  LAUNCHER,
  pipeStore,
  post,
  runProgram,
  runSuccessfully,
  startProduct,
} from '../../support/product.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

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

/** Stores three posts, of which one is hidden and one erased. */
async function fillFolder(folder: string): Promise<void> {
  const store = await openFolderStore({ folder, clock: { now: () => NOW }, report: () => undefined });
  await addPost(store, 'IDEA: \u2028 \u{1F3EE} "quoted" \\ back\r\nslash');
  await hide(store, (await addPost(store, 'WORK: x')).record.id);
  await erase(store, (await addPost(store, 'to be erased')).record.id);
  await store.close();
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
  const filesOf = (path: string): string[][] =>
    readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
  assert.deepEqual(filesOf(join(folder, 'demo')), filesOf(program));
});

describe('export and import', () => {
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
    assert.match(again.stderr, /Imported 0, skipped 4 existing\.\n$/);
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
    await assert.rejects(runCommand(COMMANDS['export']!, failing, { positionals: ['-'] }), /disk/);
    mock.restore();
    await store.close();
    assert.match(written, /^\{"porchlight":"export"[^]*\}\n$/);
    assert.doesNotMatch(written, /"end"/);
  });

  it('an export into a pipe that is read late is whole', async (test) => {
    const folder = await temporaryFolder(test);
    const to = { DATA_DIR: join(folder, 'to') };
    const file = join(folder, 'export.jsonl');
    // A pipe takes less than that at once, and the rest waits in the process.
    const lines = Array.from({ length: 60 }, (_, number) =>
      exportLine('guest', {
        id: `guest_${number}`,
        note: 'a'.repeat(1000),
        createdAt: `2026-01-01T00:00:00.0000${10 + number}Z`,
      }),
    );
    writeFileSync(file, ['{"porchlight":"export","format":1}', ...lines, ''].join('\n'));
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
});

const FAILING: [args: string[], code: number, message: RegExp][] = [
  [['hide'], 2, /Write: porchlight hide \[ID\.\.\.\] --reason TEXT/],
  [['hide', 'post_1', '--reason', ' '], 1, /The reason is blank/],
  [['hide', 'post_1', '--reason', 'x'], 1, /no visible record/],
  [['unhide', '__proto__', '--reason', 'x'], 1, /no hidden record/],
  [['erase', 'post_1', '--reason', 'x'], 1, /no record/],
  [['thaw'], 1, /not frozen/],
  [['check', '--colour'], 2, /no flag with this name\.\nWrite: porchlight check \[--json\]/],
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
});

it('import is the only command that creates a store', () => {
  const names = Object.keys(COMMANDS).filter((name) => COMMANDS[name]?.createsStore === true);
  assert.deepEqual(names, ['import']);
});
