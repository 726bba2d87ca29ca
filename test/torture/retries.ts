import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { overMcp, overRest, overStdio, type Post, type Reply, type Write } from './support/publish.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const AT_ONCE = 50;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

const sharesOf = (writes: readonly Write[]): Write[] =>
  Array.from({ length: AT_ONCE }, (_, n) => writes[n % writes.length]!);

const postsOf = (replies: readonly (Reply | undefined)[]): Post[] =>
  replies.flatMap((reply) => reply?.post ?? []);

const sameOf = (post: Post): string => JSON.stringify({ ...post, duplicate: undefined });

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  // The same address before and after a restart, and in the links that every process gives.
  const PORT = await freePort();
  const settings = {
    DATA_DIR: await place.folder(),
    PORT,
    BASE_URL: `http://127.0.0.1:${PORT}`,
    FEED_POSTS_PER_HOUR: '0',
  };
  const { client } = await place.speak(settings);
  const book = new Book(chance);
  let http = await place.serve(settings);
  let cut = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const writes = sharesOf([overRest(http.url), overMcp(http.url), overStdio(client)]);
    const [text, key] = [book.newText(), `retries-${tally.rounds}-calm`];
    const calm = postsOf(await Promise.all(writes.map((write) => book.send(write, text, key))));
    tally.expect(calm.length === AT_ONCE, `${AT_ONCE - calm.length} of ${AT_ONCE} were not answered`);
    tally.expect(
      calm.filter(({ duplicate }) => duplicate === false).length === 1,
      'not exactly one was no duplicate',
    );
    tally.expect(new Set(calm.map(sameOf)).size === 1, 'the answers differ');

    const [cutText, cutKey] = [book.newText(), `retries-${tally.rounds}-cut`];
    const doors = sharesOf([overRest(http.url), overMcp(http.url)]);
    const cutOff = doors.map((write) => book.send(write, cutText, cutKey));
    await sleep(chance.below(40));
    await http.end('SIGKILL');
    const before = postsOf(await Promise.all(cutOff));
    if (before.length < AT_ONCE) cut += 1;
    http = await place.serve(settings);
    const again = [overRest(http.url), overMcp(http.url), overStdio(client)];
    const after = postsOf(await Promise.all(again.map((write) => book.send(write, cutText, cutKey))));
    tally.expect(after.length === again.length, 'a retry after the restart was refused');
    tally.expect(
      new Set([...before, ...after].map(sameOf)).size === 1,
      'a retry after the restart has another answer',
    );
    await book.audit(http.url, tally);
    if (tally.rounds % 5 === 4) tell(`${tally.rounds + 1} of ${rounds}`);
  }
  tally.expect(book.acknowledged === 2 * rounds, `${book.acknowledged} records for ${2 * rounds} keys`);
  await http.end('SIGTERM');
  return tally.outcome(
    `${2 * rounds} keys, ${AT_ONCE} at once over REST, MCP and stdio; ${cut} cut off by kill -9`,
  );
}

export const retries: TorturePromise = {
  name: 'retries',
  does: 'one idempotency key 50 times at once over REST, MCP and another process, also across kill -9',
  needs: ['signals'],
  rounds: 10,
  seconds: 30,
  run,
};
