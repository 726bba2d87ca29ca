// Runs the test files named, or all of them. Node 20's own --test expands no globs, and calls an empty run a success.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
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

/** One database server for all files that ask for one, where none is given. */
async function databaseFor() {
  const isNeeded = files.some((file) => readFileSync(file, 'utf8').includes('support/postgres/postgres.ts'));
  if (!isNeeded || process.env['TEST_DATABASE_URL']) return undefined;
  register();
  const { startPostgres } = await import('./support/postgres/server.ts');
  return startPostgres();
}

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
  const env = database === undefined ? process.env : { ...process.env, TEST_DATABASE_URL: database.url };
  const tests = spawn(process.execPath, [...options, ...files.toSorted()], { stdio: 'inherit', env });
  // The database goes once the tests have ended.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
  const [status] = await once(tests, 'exit');
  process.exitCode = status ?? 1;
} finally {
  await database?.stop();
}
