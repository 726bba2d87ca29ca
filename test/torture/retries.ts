import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { overMcp, overRest, overStdio, type Post, type Reply, type Publish } from './support/publish.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const CONCURRENT_RETRIES = 50;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

const distribute = (writes: readonly Publish[]): Publish[] =>
  Array.from({ length: CONCURRENT_RETRIES }, (_, n) => writes[n % writes.length]!);

const postsOf = (replies: readonly (Reply | undefined)[]): Post[] =>
  replies.flatMap((reply) => reply?.post ?? []);

const comparableText = (post: Post): string => JSON.stringify({ ...post, duplicate: undefined });

async function run({ rounds, random, sandbox, tally, log }: ScenarioOptions): Promise<Outcome> {
  // The same port after a restart, so that the links of every process are equal.
  const PORT = await freePort();
  const settings = {
    DATA_DIR: await sandbox.createFolder(),
    PORT,
    BASE_URL: `http://127.0.0.1:${PORT}`,
    FEED_POSTS_PER_HOUR: '0',
  };
  const { client } = await sandbox.launchStdio(settings);
  const recorder = new WriteRecorder(random);
  let http = await sandbox.serve(settings);
  let interruptedRounds = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const writes = distribute([overRest(http.url), overMcp(http.url), overStdio(client)]);
    const [text, key] = [recorder.newText(), `retries-${tally.rounds}-undisturbed`];
    const undisturbed = postsOf(await Promise.all(writes.map((write) => recorder.send(write, text, key))));
    tally.expect(
      undisturbed.length === CONCURRENT_RETRIES,
      `${CONCURRENT_RETRIES - undisturbed.length} of ${CONCURRENT_RETRIES} got no response`,
    );
    tally.expect(
      undisturbed.filter(({ duplicate }) => duplicate === false).length === 1,
      'not exactly one response had duplicate: false',
    );
    tally.expect(new Set(undisturbed.map(comparableText)).size === 1, 'the responses differ');

    const [interruptedText, interruptedKey] = [recorder.newText(), `retries-${tally.rounds}-interrupted`];
    const publishers = distribute([overRest(http.url), overMcp(http.url)]);
    const interrupted = publishers.map((write) => recorder.send(write, interruptedText, interruptedKey));
    await sleep(random.below(40));
    await http.end('SIGKILL');
    const before = postsOf(await Promise.all(interrupted));
    if (before.length < CONCURRENT_RETRIES) interruptedRounds += 1;
    http = await sandbox.serve(settings);
    const again = [overRest(http.url), overMcp(http.url), overStdio(client)];
    const after = postsOf(
      await Promise.all(again.map((write) => recorder.send(write, interruptedText, interruptedKey))),
    );
    tally.expect(after.length === again.length, 'a retry after the restart was rejected');
    tally.expect(
      new Set([...before, ...after].map(comparableText)).size === 1,
      'a retry after the restart got another response',
    );
    await recorder.audit(http.url, tally);
    if (tally.rounds % 5 === 4) log(`${tally.rounds + 1} of ${rounds}`);
  }
  tally.expect(
    recorder.acknowledged === 2 * rounds,
    `${recorder.acknowledged} records for ${2 * rounds} keys`,
  );
  await http.end('SIGTERM');
  return tally.outcome(
    `${2 * rounds} keys, ${CONCURRENT_RETRIES} at once over REST, MCP and stdio; ${interruptedRounds} cut off by kill -9`,
  );
}

export const retries: Scenario = {
  name: 'retries',
  description: 'one idempotency key 50 times at once over REST, MCP and another process, also across kill -9',
  requirements: ['signals'],
  rounds: 10,
  maxSecondsPerRound: 30,
  run,
};
