import { Book, Load } from './support/write-recorder.ts';
import { overMcp, overRest, overStdio, type Post, type Write } from './support/publish.ts';
import { readFeed } from './support/feed.ts';
import type { Server } from './support/server.ts';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const LIMIT = 24;
const TRIES_EACH = 16;
const WRITES = 1500;

interface Processes {
  readonly http: Server;
  readonly clients: readonly Client[];
  readonly writes: readonly Write[];
}

async function start({ place }: Options, settings: Readonly<Record<string, string>>): Promise<Processes> {
  // All at once, on a folder that is still empty: only one of them makes the store.
  const [http, ...agents] = await Promise.all([
    place.serve(settings),
    ...[1, 2, 3].map(() => place.speak(settings)),
  ]);
  const clients = agents.map(({ client }) => client);
  return { http, clients, writes: [overRest(http.url), overMcp(http.url), ...clients.map(overStdio)] };
}

async function stop({ http, clients }: Processes): Promise<void> {
  for (const client of clients) await client.close();
  await http.end('SIGTERM');
}

/** One budget: of many posts at once, through every door of every process, exactly so many are stored. */
async function oneBudget(options: Options): Promise<void> {
  const { chance, tally, place } = options;
  const [folder, book] = [await place.folder(), new Book(chance)];
  const processes = await start(options, { DATA_DIR: folder });
  const replies = await Promise.all(
    processes.writes.flatMap((write) => Array.from({ length: TRIES_EACH }, () => book.send(write))),
  );
  tally.expect(book.acknowledged === LIMIT, `${book.acknowledged} posts were let in instead of ${LIMIT}`);
  const others = replies.filter((reply) => reply?.post === undefined);
  tally.expect(
    others.every((reply) => reply?.code === 'rate_limited' && reply.retryAfter! > 0),
    'a refusal was not rate_limited',
  );
  await book.audit(processes.http.url, tally);
  await stop(processes);
  const again = await place.serve({ DATA_DIR: folder });
  tally.expect((await book.send(overRest(again.url)))?.code === 'rate_limited', 'a restart opened the limit');
  await book.audit(again.url, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
}

async function overStdioRead(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null && ids.length <= WRITES * 2; ) {
    const query = { limit: 100, ...(before !== undefined && { before }) };
    const { structuredContent } = await client.callTool({ name: 'read_feed', arguments: query });
    const page = structuredContent as { nextBefore: string | null; messages: Post[] };
    ids.push(...page.messages.map(({ id }) => id));
    before = page.nextBefore;
  }
  return ids;
}

/** Nothing is lost, and everybody sees the same order. */
async function oneOrder(options: Options): Promise<number> {
  const { chance, tally, place } = options;
  const book = new Book(chance);
  const processes = await start(options, { DATA_DIR: await place.folder(), FEED_POSTS_PER_HOUR: '0' });
  const load = new Load(
    book,
    processes.writes.flatMap((write) => [write, write, write]),
    WRITES,
  );
  await load.ended;
  tally.expect(book.acknowledged === WRITES, `${WRITES - book.acknowledged} writes were refused`);
  await book.audit(processes.http.url, tally);
  const order = (await readFeed(processes.http.url)).posts.map(({ id }) => id).join();
  for (const client of processes.clients) {
    tally.expect((await overStdioRead(client)).join() === order, 'two processes see another order');
  }
  await stop(processes);
  tally.rounds += 1;
  return book.acknowledged;
}

async function run(options: Options): Promise<Outcome> {
  let acknowledged = 0;
  for (let round = 0; round < options.rounds; round++) {
    await oneBudget(options);
    acknowledged += await oneOrder(options);
  }
  return options.tally.outcome(
    `exactly ${LIMIT} of ${TRIES_EACH * 5} under the limit; ${acknowledged} acknowledged without it`,
  );
}

export const processes: TorturePromise = {
  name: 'processes',
  does: 'one HTTP and three stdio servers write at once, with the limit of 24 and without any',
  rounds: 1,
  seconds: 120,
  run,
};
