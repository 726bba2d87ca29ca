// Runs the test files named and those in the folders named, or all quick ones, or with --slow all slow ones
// (`*.slow.test.ts`) and those quick ones whose cross products were cut (`support/thorough.ts`), whole.
// The files of a room (`surfaces`, `unit/http`) share a process: most of the time of a short file is the start of one.
// Small rooms share one too.
// `node --test` of Node 20 expands no globs, and calls an empty run a success.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { register } from 'tsx/esm/api';

const here = import.meta.dirname;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Writes the files that tests compare with, before they compare.
    update: { type: 'boolean', default: false },
    slow: { type: 'boolean', default: false },
    'test-name-pattern': { type: 'string' },
  },
});
if (values.update) process.env.UPDATE_GENERATED = '1';
const isWholeRun = positionals.length === 0;
if (values.slow || !isWholeRun) process.env.TEST_THOROUGH ??= '1';

/** The files, and what they import of `test/`, directly or not. */
function reachedFrom(files) {
  const reached = new Set(files);
  for (const file of reached)
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|}) .*'(\.[^']+\.ts)';$/gm))
      reached.add(resolve(dirname(file), name));
  return reached;
}

const isSlow = (file) => file.endsWith('.slow.test.ts');
const isCut = (file) => reachedFrom([file]).has(join(here, 'support/thorough.ts'));
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
const files = isWholeRun
  ? filesIn(here).filter((file) => isSlow(file) === values.slow || (values.slow && isCut(file)))
  : positionals
      .map((name) => resolve(name))
      .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]));
if (files.length === 0) throw new Error('no test files');

const reached = reachedFrom(files);
const uses = (name) => reached.has(join(here, name));

/** Of fewer files. */
const SMALL_ROOM = 12;

const folder = mkdtempSync(join(tmpdir(), 'porchlight-tests-'));

/** The program as npm installs it, which starts three times as fast as its source. */
async function buildPackage() {
  if (!uses('support/product.ts')) return undefined;
  const root = join(here, '..');
  // Some tests run it as another user.
  chmodSync(folder, 0o755);
  const built = [join(root, 'bin', 'build.js'), join(folder, 'dist')];
  const [status] = await once(spawn(process.execPath, built, { stdio: 'inherit' }), 'exit');
  if (status !== 0) throw new Error('the package cannot be built');
  for (const name of ['package.json', 'bin/porchlight.js']) cpSync(join(root, name), join(folder, name));
  return join(folder, 'bin', 'porchlight.js');
}

/** One database server for all files that ask for one, where none is given. */
async function startDatabase() {
  if (!uses('support/postgres/postgres.ts') || process.env['TEST_DATABASE_URL']) return undefined;
  register();
  const { NO_FSYNC, startPostgres } = await import('./support/postgres/server.ts');
  return startPostgres(NO_FSYNC);
}

/** @returns milliseconds of this process and, on Linux, of its children that have ended */
function processorTime() {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1000;
  if (process.platform !== 'linux') return own;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return own + 10 * (Number(fields[13]) + Number(fields[14]));
}

/**
 * Writes one file for each room, which imports its test files. No test starts before all of them are
 * imported: the hooks `after` run as soon as no test is left, and a hook that comes later never runs.
 */
function writeRooms() {
  const folders = files.map((file) => dirname(relative(here, file)).split(sep).slice(0, 2).join('/'));
  const rooms = new Map();
  for (const [index, file] of files.entries()) {
    const isSmall = folders.filter((folder) => folder === folders[index]).length < SMALL_ROOM;
    const room = isSmall ? folders[index].split('/')[0] : folders[index];
    rooms.set(room, [...(rooms.get(room) ?? []), file]);
  }
  // The longest begin first.
  const largestFirst = [...rooms.values()].toSorted((a, b) => b.length - a.length);
  return largestFirst.map((members, index) => {
    const room = join(folder, `room-${index}.mjs`);
    const urls = members.toSorted().map((file) => pathToFileURL(file).href);
    writeFileSync(
      room,
      `import { afterEach, before } from 'node:test';
       import { readFileSync } from 'node:fs';
       let end;
       const imported = new Promise((resolve) => { end = resolve; });
       // The first test waits for what other files set up.
       let last;
       before(() => imported);
       afterEach((test) => {
         const now = processorTime();
         if (last !== undefined) test.diagnostic('processor time ' + Math.round(now - last));
         last = now;
       });
       ${processorTime.toString()}
       try { for (const url of ${JSON.stringify(urls)}) await import(url); } finally { end(); }\n`,
    );
    return room;
  });
}

let database;
try {
  const [launcher, started] = await Promise.allSettled([buildPackage(), startDatabase()]);
  database = started.value;
  for (const { reason } of [launcher, started]) if (reason !== undefined) throw reason;
  const options = [
    '--import',
    import.meta.resolve('tsx'),
    '--test',
    `--test-reporter=${pathToFileURL(join(here, 'reporter.js')).href}`,
    `--test-concurrency=${availableParallelism()}`,
  ];
  const pattern = values['test-name-pattern'];
  if (pattern !== undefined) options.push(`--test-name-pattern=${pattern}`);
  const env = {
    ...process.env,
    ...(database && { TEST_DATABASE_URL: database.url }),
    ...(launcher.value && { TEST_LAUNCHER: launcher.value }),
    ...(isWholeRun && !values.slow && { TEST_CAP: '1' }),
  };
  const tests = spawn(process.execPath, [...options, ...writeRooms()], { stdio: 'inherit', env });
  // The database goes once the tests have ended.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
  const [status] = await once(tests, 'exit');
  process.exitCode = status ?? 1;
} finally {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
}
