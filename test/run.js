// Runs the test files named, or all of them. Node 20's own --test expands no globs, and calls an empty run a success.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { register } from 'tsx/esm/api';

const here = import.meta.dirname;
const named = process.argv.slice(2).filter((argument) => argument !== '--update');
// Tests that compare generated files then write them first.
if (process.argv.includes('--update')) process.env.UPDATE_GENERATED = '1';
const files =
  named.length > 0
    ? named
    : readdirSync(here, { recursive: true })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(here, name));
if (files.length === 0) throw new Error('no test files');

const uses = (part) => files.some((file) => readFileSync(file, 'utf8').includes(part));

/** The program as npm installs it, which starts three times as fast as its source. */
function packageFor() {
  if (!uses('support/product.ts')) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-package-'));
  const root = join(here, '..');
  execFileSync(process.execPath, [join(root, 'bin', 'build.js'), join(folder, 'dist')], { stdio: 'inherit' });
  for (const name of ['package.json', 'bin/porchlight.js']) cpSync(join(root, name), join(folder, name));
  return folder;
}

/** One database server for all files that ask for one, where none is given. */
async function databaseFor() {
  if (!uses('support/postgres/postgres.ts') || process.env['TEST_DATABASE_URL']) return undefined;
  register();
  const { NO_FSYNC, startPostgres } = await import('./support/postgres/server.ts');
  return startPostgres(NO_FSYNC);
}

const installed = packageFor();
const database = await databaseFor();
try {
  // The reporter `spec` names the tests that failed once more at the end, on a terminal and in a log.
  const options = [
    '--import',
    'tsx',
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${availableParallelism()}`,
  ];
  const env = {
    ...process.env,
    ...(database && { TEST_DATABASE_URL: database.url }),
    ...(installed && { TEST_LAUNCHER: join(installed, 'bin', 'porchlight.js') }),
  };
  const tests = spawn(process.execPath, [...options, ...files.toSorted()], { stdio: 'inherit', env });
  // The database goes once the tests have ended.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
  const [status] = await once(tests, 'exit');
  process.exitCode = status ?? 1;
} finally {
  await database?.stop();
  if (installed !== undefined) rmSync(installed, { recursive: true, force: true });
}
