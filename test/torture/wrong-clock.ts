import { join } from 'node:path';
import { areSame, snapshot } from './support/files.ts';
import { readFeed } from './support/feed.ts';
import { runOperator } from './support/operator.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import type { Server } from './support/server.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const DAYS = 3;
const POSTS_AN_HOUR = 6;
const NOTES_A_DAY = 3;

interface Reply {
  readonly status: number;
  readonly id: string;
  readonly duplicate: boolean;
}

interface AcknowledgedWrite {
  readonly path: string;
  readonly body: object;
  readonly key: string;
  readonly id: string;
}

async function send(
  { url }: Server,
  path: string,
  body: object,
  key: string,
  client: string,
): Promise<Reply> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, 'X-Forwarded-For': client },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  return { ...((await response.json()) as Omit<Reply, 'status'>), status: response.status };
}

/** A client of the server with the right clock, which has used all its limits. */
class UsedUpClient {
  readonly writes: AcknowledgedWrite[] = [];
  readonly #options: ScenarioOptions;
  readonly #address = '198.51.100.7';

  constructor(options: ScenarioOptions) {
    this.#options = options;
  }

  get posts(): string[] {
    return this.writes.filter(({ path }) => path === '/api/feed').map(({ id }) => id);
  }

  async useUpLimits(server: Server): Promise<void> {
    for (let n = 0; n < POSTS_AN_HOUR; n++)
      await this.#publish(server, '/api/feed', { message: `post ${n}` });
    for (let n = 0; n < NOTES_A_DAY; n++)
      await this.#publish(server, '/api/guestbook', { name: 'a client', note: `note ${n}` });
  }

  async #publish(server: Server, path: string, body: object): Promise<void> {
    const key = `wrong-clock-${this.writes.length}`;
    const { status, id } = await send(server, path, body, key, this.#address);
    this.#options.tally.expect(status === 201, `a write under the limit was ${status}`);
    this.writes.push({ path, body, key, id });
  }

  /** Expects that new writes are refused, and that each retry returns the record of its key. */
  async expectNoChange(server: Server, when: string, except?: string): Promise<void> {
    const { tally, random } = this.#options;
    const news: readonly [path: string, body: object][] = [
      ['/api/feed', { message: 'one too many' }],
      ['/api/guestbook', { name: 'a client', note: 'one too many' }],
    ];
    for (const [path, body] of news) {
      const { status } = await send(server, path, body, `new-${random.below(1e9)}`, this.#address);
      tally.expect(status === 429, `${when}: a write beyond the limit of ${path} was ${status}`);
    }
    for (const { path, body, key, id } of this.writes) {
      if (id === except) continue;
      const reply = await send(server, path, body, key, this.#address);
      tally.expect(
        reply.status === 201 && reply.id === id && reply.duplicate,
        `${when}: a retry was ${reply.status}, ${reply.id === id ? 'the same' : 'another'} record`,
      );
    }
  }
}

const DIRECTIONS = ['ahead', 'back'] as const;

async function checkDirection(options: ScenarioOptions, direction: 'ahead' | 'back'): Promise<number> {
  const { sandbox, tally, random } = options;
  const folder = await sandbox.createFolder();
  const settings = {
    DATA_DIR: folder,
    FEED_POSTS_PER_HOUR: String(POSTS_AN_HOUR),
    PORCH_WRITES_PER_HOUR: '0',
    PORCH_WRITES_PER_DAY: String(NOTES_A_DAY),
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const minutes = DAYS * 24 * 60 * (direction === 'ahead' ? 1 : -1);
  const wrong = { ...settings, ...(await ShiftedClock.create(sandbox, minutes)).settings };
  let server = await sandbox.serve(settings);
  const client = new UsedUpClient(options);
  await client.useUpLimits(server);
  const keys = snapshot(join(folder, 'keys'));

  const second = await sandbox.serve(wrong);
  await client.expectNoChange(server, `${direction}: a second server runs`);
  const [hidden, erased] = [client.posts[random.below(3)]!, client.posts[3 + random.below(3)]!];
  const exported = join(await sandbox.createFolder(), 'export.jsonl');
  const commands: readonly string[][] = [
    ['check'],
    ['hide', hidden, '--reason', 'a test'],
    ['moderation'],
    ['unhide', hidden, '--reason', 'a test'],
    ['erase', erased, '--reason', 'a test'],
    ['freeze'],
    ['thaw'],
    ['export', exported],
  ];
  for (const args of commands) {
    const { code, output } = await runOperator(sandbox, args, wrong);
    tally.expect(code === 0, `${direction}: ${args[0]!} ended with ${code}: ${output}`);
  }
  await client.expectNoChange(server, `${direction}: after the commands`, erased);
  const other = await send(
    second,
    '/api/feed',
    { message: 'of another client' },
    'of-another-client',
    '203.0.113.9',
  );
  tally.expect(other.status === 201, `${direction}: a post to the second server was ${other.status}`);
  const again = await runOperator(sandbox, ['check'], wrong);
  tally.expect(again.code === 0, `${direction}: check ended with ${again.code}`);
  await client.expectNoChange(server, `${direction}: after a post to the second server`, erased);
  await second.end('SIGTERM');
  for (const restart of ['first', 'second']) {
    await server.end('SIGTERM');
    server = await sandbox.serve(settings);
    await client.expectNoChange(server, `${direction}: after the ${restart} restart`, erased);
  }
  const { posts } = await readFeed(server.url);
  const expected = [...client.posts.filter((id) => id !== erased), other.id];
  tally.lost += expected.filter((id) => !posts.some((post) => post.id === id)).length;
  tally.expect(posts.length === expected.length, `${direction}: the feed has ${posts.length} posts`);
  const after = snapshot(join(folder, 'keys'));
  const left = new Map([...after].filter(([name]) => keys.has(name)));
  tally.expect(areSame(keys, left), `${direction}: a key was destroyed or replaced`);
  await server.end('SIGTERM');
  return commands.length + 1;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { tally, rounds } = options;
  let commands = 0;
  while (tally.rounds < rounds) {
    commands += await checkDirection(options, DIRECTIONS[tally.rounds % 2]!);
    tally.rounds += 1;
  }
  return tally.outcome(
    `${commands} commands and ${rounds} servers ${DAYS} days ahead and back; limits of an hour and of a day, ` +
      'keys of retries and of clients as before, over restarts too',
  );
}

export const wrongClock: Scenario = {
  name: 'wrong-clock',
  description: `operator commands and a second server run ${DAYS} days ahead and ${DAYS} days back, beside a server with the right clock`,
  rounds: 2,
  maxSecondsPerRound: 120,
  run,
};
