import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WriteRecorder } from './support/write-recorder.ts';
import { overRest } from './support/publish.ts';
import { faultArguments, SINGLE_THREAD } from './support/strace.ts';
import type { Server } from './support/server.ts';
import { withTimeout } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const CALLS = ['write', 'pwrite64', 'fdatasync', 'fsync', 'rename', 'link', 'unlink'];
const MAX_CALLS = 40;
const POSTS = 16;

/** A failed sync makes the store begin a segment, so that the first calls include links. */
const FAILING_SYNC = 7;
const FAILING_SYNC_FAULT = `fdatasync:error=EIO:when=${FAILING_SYNC}`;

/** strace filters by complete file names only, so random parts of file names become numbers. */
const DETERMINISTIC_NAMES = `import c from 'node:crypto'; import { syncBuiltinESMExports as s } from 'node:module';
  let n = 0; const bytes = c.randomBytes; c.randomUUID = () => 'name-' + ++n;
  c.randomBytes = (k, ...rest) => (k === 8 ? Buffer.from(String(++n).padStart(8, '0')) : bytes(k, ...rest)); s();`;

/** The n-th system call of a name on the files of the store. */
interface Call {
  readonly name: string;
  readonly nth: number;
}

/** Starts the service for the first time in a folder, and posts one text after another while it runs. */
async function startAndPost(
  { sandbox }: ScenarioOptions,
  recorder: WriteRecorder,
  folder: string,
  strace: readonly string[],
): Promise<Server> {
  const settings = {
    ...SINGLE_THREAD,
    DATA_DIR: folder,
    FEED_POSTS_PER_HOUR: '0',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(DETERMINISTIC_NAMES)}`,
  };
  const server = sandbox.launch(settings, { wrapper: ['strace', '-f', '-y', ...strace] });
  const started = await server.ready().then(
    () => true,
    () => false,
  );
  for (let n = 0; started && n < POSTS; n++) {
    const reply = await recorder.send(overRest(server.url));
    if (reply === undefined) break;
  }
  return server;
}

/** @returns the system calls of one run on the files of the store, and the names of those files */
async function recordCalls(
  options: ScenarioOptions,
  recorder: WriteRecorder,
): Promise<{ calls: Call[]; names: string[] }> {
  const [folder, traceFile] = [
    join(await options.sandbox.createFolder(), 'data'),
    join(await options.sandbox.createFolder(), 'trace'),
  ];
  const server = await startAndPost(options, recorder, folder, [
    '-o',
    traceFile,
    '-e',
    `trace=${CALLS.join(',')}`,
    '-e',
    `inject=${FAILING_SYNC_FAULT}`,
  ]);
  const nodePid = Number(
    readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ')[0],
  );
  process.kill(nodePid, 'SIGTERM');
  await withTimeout(30, 'the exit under strace', server.exited);
  const counts = new Map<string, number>();
  const lines = readFileSync(traceFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder));
  const calls = lines.flatMap((line) => {
    const name = /^\d+ +(\w+)\(/.exec(line)?.[1];
    if (name === undefined) return [];
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return [{ name, nth: counts.get(name)! }];
  });
  const paths = lines
    .flatMap((line) => line.match(/[<"]\/[^>"]*[>"]/g) ?? [])
    .map((path) => path.slice(1, -1));
  return {
    calls,
    names: [...new Set(paths)]
      .filter((path) => path.startsWith(folder))
      .map((path) => path.slice(folder.length)),
  };
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, random, tally, log } = options;
  const { calls, names } = await recordCalls(options, new WriteRecorder(random));
  // A kill leaves no trace of a sync; after the failing sync the next call covers it.
  const targets = calls
    .filter(({ name, nth }) => name !== 'fdatasync' || nth <= FAILING_SYNC)
    .slice(0, MAX_CALLS);
  tally.expect(targets.length === MAX_CALLS, `there were only ${calls.length} calls`);
  let acknowledged = 0;
  for (const { name, nth } of targets) {
    const [folder, recorder] = [join(await sandbox.createFolder(), 'data'), new WriteRecorder(random)];
    const faults = [...(name === 'fdatasync' ? [] : [FAILING_SYNC_FAULT]), `${name}:signal=KILL:when=${nth}`];
    const victim = await startAndPost(options, recorder, folder, [
      '-o',
      '/dev/null',
      ...faultArguments(
        faults,
        names.map((path) => folder + path),
      ),
    ]);
    const exit = await withTimeout(30, `the exit at ${name} ${nth}`, victim.exited).catch(() => 'no exit');
    tally.expect(exit === 'SIGKILL', `it was not killed at ${name} ${nth}`);
    victim.destroy();
    tally.rounds += 1;
    const survivor = await sandbox
      .launch({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' })
      .ready()
      .catch((error: unknown) => {
        tally.expect(false, `after ${name} ${nth} ${String(error)}`);
      });
    if (survivor === undefined) continue;
    await recorder.audit(survivor.url, tally);
    tally.expect(
      (await recorder.send(overRest(survivor.url)))?.post !== undefined,
      `after ${name} ${nth} no post is stored`,
    );
    await survivor.end('SIGKILL');
    acknowledged += recorder.acknowledged;
    if (tally.rounds % 10 === 0) log(`${tally.rounds} of ${targets.length}`);
  }
  const kinds = [...new Set(targets.map(({ name }) => name))].map(
    (kind) => `${targets.filter(({ name }) => name === kind).length} ${kind}`,
  );
  return tally.outcome(`first start, posts and a new log; ${kinds.join(', ')}; ${acknowledged} acknowledged`);
}

export const killAtCall: Scenario = {
  name: 'kill-at-call',
  description:
    'kill -9 at each of the first 40 write, sync, link and rename calls, from the first start on (strace)',
  requirements: ['strace'],
  rounds: MAX_CALLS,
  maxSecondsPerRound: 20,
  run,
};
