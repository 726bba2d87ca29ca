import assert from 'node:assert/strict';
import fs, { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { exportAll, writeExportFile } from '#commands/export.ts';
import { openImportFile, readChunks, readEntries } from '#commands/import-file.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { nodeDisk } from '#store/folder/fs/disk.ts';
import { type Store, StoreFailure } from '#store/port/store.ts';
import { runCommand, SILENT } from '../../support/commands.ts';
import { exportLine } from '../../support/export-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { addPost, hide } from '../../support/store/writes.ts';

type History = ReturnType<Store['read']['history']>;

/** A store with three posts, of which one is hidden, and the file to which the test exports. */
async function setUp(t: TestContext) {
  const folder = await temporaryFolder(t);
  const clock = { now: () => Date.now() };
  const store = await openFolderStore({ folder: join(folder, 'data'), clock, report: () => undefined });
  t.after(() => store.close());
  for (const text of ['one', 'two']) await addPost(store, text);
  await hide(store, (await addPost(store, 'a private text')).record.id);
  return { folder, file: join(folder, 'export.jsonl'), store };
}

async function* inOneChunk(text: Buffer | string): AsyncIterable<Buffer> {
  yield Buffer.from(text);
}

async function count(chunks: AsyncIterable<Buffer>): Promise<number> {
  let entries = 0;
  for await (const _ of readEntries(chunks, Date.now())) entries += 1;
  return entries;
}

test('an export that is cut at any byte is refused, as a file and as a stream', async (t) => {
  const { file, store } = await setUp(t);
  assert.equal(await writeExportFile(store.read.history(), file, SILENT), 4);
  const whole = readFileSync(file);
  assert.equal(await count(inOneChunk(whole)), 4);
  assert.equal(whole.toString().split('\n').at(-2), '{"end":{"entries":4}}');
  for (let end = 0; end < whole.length; end++)
    await assert.rejects(
      count(inOneChunk(whole.subarray(0, end))),
      { name: 'CommandError', message: /Nothing was imported\.$/ },
      `cut at byte ${end}`,
    );
  // Behind the line feed of a line the refusal says what to do.
  const end = whole.lastIndexOf('{"end"');
  await assert.rejects(
    count(inOneChunk(whole.subarray(0, end))),
    /^CommandError: The file does not end as an export does: it was cut off, or is still being written\. Import a whole export\. If this is all that is left, add the line \{"end":\{"entries":4\}\} and import it/,
  );
});

test('an export of an earlier format that ends within a line is refused, also as a file', async (t) => {
  const { folder } = await setUp(t);
  const path = join(folder, 'earlier.jsonl');
  const line = exportLine('guest');
  writeFileSync(path, `{"porchlight":"export","format":4}\n${line}\n`);
  const file = await openImportFile(path, [], Date.now());
  assert.equal(await count(readChunks(file)), 1);
  await file.close();
  writeFileSync(path, `{"porchlight":"export","format":4}\n${line}`);
  await assert.rejects(
    openImportFile(path, [], Date.now()),
    /^CommandError: Line 2 does not end with a line feed: it was cut off, or is still being written/,
  );
});

test('an export with lines too few, too many, or behind its end is refused', async (t) => {
  const { file, store } = await setUp(t);
  await writeExportFile(store.read.history(), file, SILENT);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const refuse = (changed: readonly string[], message: RegExp) =>
    assert.rejects(count(inOneChunk(changed.map((line) => `${line}\n`).join(''))), message);
  const other = /gives a number of entries that is not the \d before it\. Nothing was imported/;
  await refuse(lines.toSpliced(2, 1), other);
  await refuse(lines.toSpliced(2, 0, lines[2]!), other);
  await refuse([...lines, lines[1]!], /Line 7 comes after the end of the export/);
  await refuse([...lines, ...lines], /Line 7 comes after the end of the export/);
  const latin = lines.map((line) => `${line.replace('two', 't\u00ff')}\n`).join('');
  await assert.rejects(count(inOneChunk(Buffer.from(latin, 'latin1'))), /Line 3 is not valid UTF-8/);
  // Earlier formats have no such line.
  const earlier = lines.map((line) => line.replace('"format":5', '"format":4'));
  await refuse(earlier, /Line 6 is not a valid record/);
});

test('an export has its name, and is noted in the journal, only once it is whole', async (t) => {
  const { folder, file, store } = await setUp(t);
  const privateStore = new FolderPrivateStore({ disk: nodeDisk, folder, clock: { now: () => 0 } });
  const seen: string[] = [];
  privateStore.append = async ({ type }) => {
    seen.push(`${type}: ${readdirSync(folder).filter((name) => name !== 'data')}`);
  };
  async function* history(): History {
    for await (const entry of store.read.history()) {
      yield entry;
      seen.push(`${readdirSync(folder).filter((name) => name !== 'data')}`);
    }
  }
  const read = { ...store.read, history };
  await runCommand(exportAll, { ...store, read } as Store, { positionals: [file], privateStore });
  const unfinished = 'export.jsonl.unfinished';
  assert.deepEqual(seen, [...Array.from({ length: 4 }, () => unfinished), 'exported: export.jsonl']);
});

test('an export that cannot be synced leaves no file, and is not noted', async (t) => {
  const { folder, file, store } = await setUp(t);
  const privateStore = new FolderPrivateStore({ disk: nodeDisk, folder, clock: { now: () => 0 } });
  privateStore.append = () => assert.fail('it is noted');
  t.mock.method(fs, 'fsync', (_: number, done: (error: Error) => void) => {
    done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
  });
  await assert.rejects(runCommand(exportAll, store, { positionals: [file], privateStore }), /EIO/);
  assert.deepEqual(readdirSync(folder), ['data']);
});

test('an export over one that another process writes, or that was killed, is refused and changes nothing', async (t) => {
  const { file, store } = await setUp(t);
  writeFileSync(`${file}.unfinished`, 'what was written before');
  await assert.rejects(
    writeExportFile(store.read.history(), file, SILENT),
    /\.unfinished at the end of its name: another export is writing it, or was interrupted\. Remove that file/,
  );
  assert.equal(readFileSync(`${file}.unfinished`, 'utf8'), 'what was written before');
  assert.ok(!existsSync(file));
  const taken = await open(file, 'w');
  await taken.close();
  await assert.rejects(
    writeExportFile(store.read.history(), file, SILENT),
    /cannot be created: file already exists \(EEXIST\)/,
  );
});

test('an export that cannot be noted is written all the same, and says so', async (t) => {
  const { folder, file, store } = await setUp(t);
  const privateStore = new FolderPrivateStore({ disk: nodeDisk, folder, clock: { now: () => 0 } });
  privateStore.append = () => Promise.reject(new StoreFailure('nothing', 'the data folder is not writable'));
  const lines = await runCommand(exportAll, store, { positionals: [file], privateStore });
  assert.match(readFileSync(file, 'utf8'), /"message":"two"/);
  assert.deepEqual(lines, [
    'Exported 4 records and moderations.',
    'porchlight status does not count this export: the data folder is not writable.',
  ]);
});
