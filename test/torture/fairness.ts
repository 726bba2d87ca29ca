import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getJson } from './support/feed.ts';
import { olderNotes } from './support/older-notes.ts';
import { runOperator } from './support/operator.ts';
import { overRest } from './support/publish.ts';
import type { SeededRandom } from './support/random.ts';
import type { Server } from './support/server.ts';
import { secondsSince } from './support/time.ts';
import { StoreWriters } from './support/store-writers.ts';
import { WriteRecorder } from './support/write-recorder.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const SHARED_MEMORY = '/dev/shm';
const FAST = 7;
/** Posts of the slow process. */
const POSTS = 25;
/** Records of the import. */
const IMPORTED = 20_000;
/** Far above what a fair share takes, also on a machine that is busy otherwise; a starved process waits for ever. */
const MAX_SECONDS = 5;

/** The posts of the one that must not be starved. */
class MeasuredWriter {
  posts = 0;
  slowest = 0;
  /** The most posts that the others stored during one of its own. */
  mostOfOthers = 0;
  readonly #options: ScenarioOptions;
  readonly #server: Server;
  readonly #own: WriteRecorder;
  readonly #othersAcknowledged: () => number;

  constructor(
    options: ScenarioOptions,
    server: Server,
    own: WriteRecorder,
    othersAcknowledged: () => number,
  ) {
    this.#options = options;
    this.#server = server;
    this.#own = own;
    this.#othersAcknowledged = othersAcknowledged;
  }

  async post(): Promise<void> {
    const [start, others] = [performance.now(), this.#othersAcknowledged()];
    const reply = await this.#own.send(overRest(this.#server.url));
    const { tally } = this.#options;
    tally.expect(reply?.post !== undefined, `a post of the one was ${reply?.code ?? 'without a response'}`);
    this.posts += 1;
    this.slowest = Math.max(this.slowest, secondsSince(start));
    this.mostOfOthers = Math.max(this.mostOfOthers, this.#othersAcknowledged() - others);
  }
}

/**
 * Lets the process run for a millisecond or so at a time, less than a write takes, so that others come between its
 * reading and its appending.
 * @returns a function that ends it
 */
function slowDown(server: Server, random: SeededRandom): () => Promise<void> {
  const end = new AbortController();
  const done = (async (): Promise<void> => {
    while (!end.signal.aborted) {
      server.signal('SIGSTOP');
      await sleep(5 + random.below(15));
      server.signal('SIGCONT');
      await sleep(1);
    }
  })();
  return async () => {
    end.abort();
    await done;
  };
}

/** One slow process beside fast ones. */
async function besideWriters(options: ScenarioOptions, folder: string): Promise<MeasuredWriter> {
  const { sandbox, tally, random } = options;
  const slow = await sandbox.serve({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' });
  const others = await StoreWriters.start(sandbox, folder, FAST);
  const recorder = new WriteRecorder(random);
  const one = new MeasuredWriter(options, slow, recorder, () => others.acknowledged);
  const endSlowness = slowDown(slow, random);
  for (let n = 0; n < POSTS; n++) await one.post();
  await endSlowness();
  await others.stop();
  const total = await notesAt(slow);
  tally.expect(total === others.acknowledged, `${total} notes are stored of ${others.acknowledged}`);
  await recorder.audit(slow.url, tally);
  await slow.end('SIGTERM');
  return one;
}

async function notesAt({ url }: Server): Promise<number> {
  return (await getJson<{ total: number }>(`${url}/api/guestbook?limit=1`)).total;
}

/** One writer of a server beside an import of older records. */
async function besideImport(options: ScenarioOptions, folder: string): Promise<MeasuredWriter> {
  const { sandbox, tally, random } = options;
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const server = await sandbox.serve(settings);
  const recorder = new WriteRecorder(random);
  const one = new MeasuredWriter(options, server, recorder, () => 0);
  const file = join(await sandbox.createFolder(), 'older.jsonl');
  writeFileSync(file, olderNotes(IMPORTED));
  const ended = new AbortController();
  const imported = runOperator(sandbox, ['import', file], settings).finally(() => {
    ended.abort();
  });
  while (!ended.signal.aborted) await one.post();
  const { code, output } = await imported;
  tally.expect(code === 0, `the import ended with ${code}: ${output}`);
  const total = await notesAt(server);
  tally.expect(total === IMPORTED, `${total} of ${IMPORTED} records were imported`);
  await recorder.audit(server.url, tally);
  await server.end('SIGTERM');
  return one;
}

async function folderInMemory({ sandbox }: ScenarioOptions): Promise<string> {
  const folder = await mkdtemp(join(SHARED_MEMORY, 'porchlight-torture-'));
  sandbox.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, tally, rounds } = options;
  const kinds: readonly (readonly [name: string, createFolder: () => Promise<string>])[] = [
    ['on a disk', () => sandbox.createFolder()],
    ...(existsSync(SHARED_MEMORY) ? [['in memory', () => folderInMemory(options)] as const] : []),
  ];
  const remarks: string[] = [];
  while (tally.rounds < rounds) {
    for (const [name, createFolder] of kinds) {
      const slow = await besideWriters(options, await createFolder());
      const writer = await besideImport(options, await createFolder());
      for (const { slowest } of [slow, writer])
        tally.expect(slowest < MAX_SECONDS, `${name}: a post took ${slowest} s`);
      remarks.push(
        `${name}: slowest of ${slow.posts} posts ${slow.slowest} s, the others stored ${slow.mostOfOthers} meanwhile at most; ` +
          `beside the import slowest of ${writer.posts} ${writer.slowest} s`,
      );
    }
    tally.rounds += 1;
  }
  return tally.outcome(remarks.join('; '));
}

export const fairness: Scenario = {
  name: 'fairness',
  description: `a process that is stopped again and again beside ${FAST} fast ones on one folder, and a writer beside an import of ${IMPORTED} records`,
  requirements: ['signals'],
  rounds: 1,
  maxSecondsPerRound: 300,
  run,
};
