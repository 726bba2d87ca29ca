import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openImportFile, readChunks, readEntries } from '#commands/import-file.ts';
import { exportLine } from '../../support/export-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';

const NOW = Date.parse('2026-11-21T10:00:00.000Z');
const HEADER = '{"porchlight":"export","format":4}';
const NOTE = exportLine('guest');

/** A pipe that the standard output of a shell script goes to. */
function pipeFrom(script: string, folder: string): string {
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  spawn('sh', ['-c', `{ ${script}; } > ${pipe}`], { stdio: 'ignore' });
  return pipe;
}

test('a pipe is copied to the first folder that takes a file, in which nothing of it is left', async (t) => {
  const [folder, target] = [await temporaryFolder(t), await temporaryFolder(t)];
  writeFileSync(join(folder, 'export'), `${HEADER}\n${NOTE}\n`);
  const pipe = pipeFrom(`cat ${join(folder, 'export')}`, folder);
  const file = await openImportFile(pipe, [join(folder, 'missing'), target, folder], NOW);
  assert.match(readlinkSync(`/proc/self/fd/${file.fd}`), new RegExp(`^${target}/.* \\(deleted\\)$`));
  assert.deepEqual(readdirSync(target), []);
  for (let pass = 0; pass < 2; pass++) {
    const ids: string[] = [];
    for await (const { entry } of readEntries(readChunks(file), NOW))
      ids.push('record' in entry ? entry.record.id : '');
    assert.deepEqual(ids, ['guest_1']);
  }
  await file.close();
});

for (const [name, script, message] of [
  ['zeros', undefined, 'Line 1 is longer than any entry of an export.'],
  ['lines', 'yes', 'Line 1 is not the header of an export that this version can read.'],
  ['blank lines', `cat export; yes ''`, 'Line 103 is not JSON.'],
  ['zeros behind an entry', `cat export /dev/zero`, 'Line 3 is longer than any entry of an export.'],
] as const)
  test(`input of ${name} without end is refused at the line that is wrong`, async (t) => {
    const folder = await temporaryFolder(t);
    const target = await temporaryFolder(t);
    writeFileSync(join(folder, 'export'), `${HEADER}\n${NOTE}\n`);
    const input = script === undefined ? '/dev/zero' : pipeFrom(`cd ${folder}; ${script}`, folder);
    await assert.rejects(openImportFile(input, [target], NOW), {
      name: 'CommandError',
      message: `${message} Nothing was imported.`,
    });
    assert.deepEqual(readdirSync(target), []);
  });

test('an input that no folder takes is refused with the reason', async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(openImportFile('/dev/zero', [join(folder, 'a'), join(folder, 'b')], NOW), {
    name: 'CommandError',
    message: 'The file to import cannot be copied: no such file or directory (ENOENT).',
  });
});

const SPELLINGS: Record<string, string> = {
  'a blank last line': `${HEADER}\n${NOTE}\n\n`,
  'blank lines between': `${HEADER}\n\n \n${NOTE}\n`,
  'CRLF and a blank last line': `${HEADER}\r\n${NOTE}\r\n\r\n`,
  'a byte order mark': `\uFEFF${HEADER}\n${NOTE}\n`,
  'the longest text in its longest spelling': `${HEADER}\n${exportLine('post').replace('"a"', `"${'\\ud83d\\ude00'.repeat(8000)}"`)}\n`,
};

for (const [what, text] of Object.entries(SPELLINGS))
  test(`an export with ${what} is read`, async (t) => {
    const path = join(await temporaryFolder(t), 'export');
    writeFileSync(path, text);
    const file = await openImportFile(path, [], NOW);
    const numbers: number[] = [];
    for await (const { number } of readEntries(readChunks(file), NOW)) numbers.push(number);
    assert.equal(numbers.length, 1);
    await file.close();
  });
