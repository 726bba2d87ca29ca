import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { temporaryFolder } from '../../support/folder.ts';
import { LAUNCHER, runProgram } from '../../support/product.ts';

const LINES = 30_000;
const SHOW_CURSOR = '\x1b[?25h';
const HIDE_CURSOR = '\x1b[?25l';

/** Makes standard error a terminal for the child: the bar is drawn on a terminal only. */
const TERMINAL = '--import=data:text/javascript,process.stderr.isTTY=true';

function writeExport(file: string): void {
  const records = Array.from({ length: LINES }, (_, index) => {
    const createdAt = `2026-01-01T00:00:00.${String(index).padStart(6, '0')}Z`;
    return JSON.stringify({ guest: { id: `guest_${index}`, name: 'a', kind: null, note: 'b', createdAt } });
  });
  writeFileSync(file, ['{"porchlight":"export","format":1}', ...records, ''].join('\n'));
}

interface Result {
  readonly code: number | null;
  readonly stderr: string;
}

const environment = (folder: string, options: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  DATA_DIR: folder,
  NODE_OPTIONS: options,
});

/** Sends SIGINT to the command once its standard error matches `progress`. */
async function interrupt(folder: string, args: readonly string[], progress: RegExp): Promise<Result> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: tmpdir(),
    env: environment(folder, TERMINAL),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  let isInterrupted = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (isInterrupted || !progress.test(stderr)) return;
    isInterrupted = true;
    child.kill('SIGINT');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

function assertCursorShown(stderr: string): void {
  assert.ok(stderr.includes(HIDE_CURSOR));
  assert.ok(stderr.lastIndexOf(SHOW_CURSOR) > stderr.lastIndexOf(HIDE_CURSOR));
}

test('Ctrl+C during import shows the cursor, prints how much is stored, and the command can be resumed', async (t) => {
  const folder = await temporaryFolder(t);
  const [file, to] = [join(folder, 'export.jsonl'), join(folder, 'to')];
  writeExport(file);

  const imported = await interrupt(to, ['import', file], /[1-9]\d* of 30000 lines,/);
  assert.equal(imported.code, 130);
  assertCursorShown(imported.stderr);
  const [, done = ''] =
    /(\d+) of 30000 lines are imported\. To import the rest, run the same command again\.\n$/.exec(
      imported.stderr,
    ) ?? [];
  assert.ok(Number(done) > 0 && Number(done) < LINES, imported.stderr);
  const { stderr } = await runProgram(['import', file], { DATA_DIR: to });
  assert.match(stderr, new RegExp(`skipped ${done} existing`));
});

test('Ctrl+C during the verification of a file prints that nothing was imported', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'export.jsonl');
  writeExport(file);
  const { code, stderr } = await interrupt(join(folder, 'data'), ['import', file], /\d+ lines verified/);
  assert.equal(code, 130);
  assert.ok(stderr.endsWith('Interrupted. Nothing was imported.\n'), stderr);
  assertCursorShown(stderr);
});
