import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Book } from './support/write-recorder.ts';
import { overRest } from './support/publish.ts';
import { faultArguments, ONE_THREAD } from './support/strace.ts';
import type { Server } from './support/server.ts';
import { within } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const CALLS = ['write', 'pwrite64', 'fdatasync', 'fsync', 'rename', 'link', 'unlink'];
const MOST_CALLS = 40;
const POSTS = 10;

/** A sync that fails makes the store begin a new log, so that renames come among the first calls too. */
const FAILING_SYNC = 7;
const FAULT = `fdatasync:error=EIO:when=${FAILING_SYNC}`;

/** strace can be told files by their whole names only. So those that chance names are numbered instead. */
const NUMBERED_NAMES = `import c from 'node:crypto'; import { syncBuiltinESMExports as s } from 'node:module';
  let n = 0; const bytes = c.randomBytes; c.randomUUID = () => 'name-' + ++n;
  c.randomBytes = (k, ...rest) => (k === 8 ? Buffer.from(String(++n).padStart(8, '0')) : bytes(k, ...rest)); s();`;

/** A call that the store makes on its files: the n-th of its kind. */
interface Call {
  readonly name: string;
  readonly nth: number;
}

/** Starts the service for the first time in a folder, and posts one thing after the other while it lives. */
async function live(
  { place }: Options,
  book: Book,
  folder: string,
  strace: readonly string[],
): Promise<Server> {
  const settings = {
    ...ONE_THREAD,
    DATA_DIR: folder,
    FEED_POSTS_PER_HOUR: '0',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NUMBERED_NAMES)}`,
  };
  const server = place.launch(settings, { behind: ['strace', '-f', '-y', ...strace] });
  const started = await server.ready().then(
    () => true,
    () => false,
  );
  for (let n = 0; started && n < POSTS; n++) {
    const reply = await book.send(overRest(server.url));
    if (reply === undefined) break;
  }
  return server;
}

/** @returns the calls that a life makes on its files, and which files those are */
async function rehearse(options: Options, book: Book): Promise<{ calls: Call[]; names: string[] }> {
  const [folder, notes] = [
    join(await options.place.folder(), 'data'),
    join(await options.place.folder(), 'trace'),
  ];
  const server = await live(options, book, folder, [
    '-o',
    notes,
    '-e',
    `trace=${CALLS.join(',')}`,
    '-e',
    `inject=${FAULT}`,
  ]);
  const node = Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ')[0]);
  process.kill(node, 'SIGTERM');
  await within(30, 'an end under strace', server.exited);
  const counts = new Map<string, number>();
  const lines = readFileSync(notes, 'utf8')
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

async function run(options: Options): Promise<Outcome> {
  const { place, chance, tally, tell } = options;
  const { calls, names } = await rehearse(options, new Book(chance));
  // A kill sees nothing of a sync: behind the one that fails the call after it stands for it.
  const chosen = calls
    .filter(({ name, nth }) => name !== 'fdatasync' || nth <= FAILING_SYNC)
    .slice(0, MOST_CALLS);
  tally.expect(chosen.length === MOST_CALLS, `there were ${calls.length} calls only`);
  let acknowledged = 0;
  for (const { name, nth } of chosen) {
    const [folder, book] = [join(await place.folder(), 'data'), new Book(chance)];
    const faults = [...(name === 'fdatasync' ? [] : [FAULT]), `${name}:signal=KILL:when=${nth}`];
    const victim = await live(options, book, folder, [
      '-o',
      '/dev/null',
      ...faultArguments(
        faults,
        names.map((path) => folder + path),
      ),
    ]);
    const how = await within(30, `an end at ${name} ${nth}`, victim.exited).catch(() => 'no end');
    tally.expect(how === 'SIGKILL', `it was not killed at ${name} ${nth}`);
    victim.destroy();
    tally.rounds += 1;
    const survivor = await place
      .launch({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' })
      .ready()
      .catch((error: unknown) => {
        tally.expect(false, `after ${name} ${nth} ${String(error)}`);
      });
    if (survivor === undefined) continue;
    await book.audit(survivor.url, tally);
    tally.expect(
      (await book.send(overRest(survivor.url)))?.post !== undefined,
      `after ${name} ${nth} it takes no post`,
    );
    await survivor.end('SIGKILL');
    acknowledged += book.acknowledged;
    if (tally.rounds % 10 === 0) tell(`${tally.rounds} of ${chosen.length}`);
  }
  const kinds = [...new Set(chosen.map(({ name }) => name))].map(
    (kind) => `${chosen.filter(({ name }) => name === kind).length} ${kind}`,
  );
  return tally.outcome(`first start, posts and a new log; ${kinds.join(', ')}; ${acknowledged} acknowledged`);
}

export const killAtCall: TorturePromise = {
  name: 'kill-at-call',
  does: 'kill -9 at each of the first 40 write, sync, link and rename calls, from the first start on (strace)',
  needs: ['strace'],
  rounds: MOST_CALLS,
  seconds: 20,
  run,
};
