import { setTimeout as sleep } from 'node:timers/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { startBystander } from './support/bystander.ts';
import type { Post, Publish } from './support/publish.ts';
import { timedRequest, SlowClients, type TimedResponse } from './support/sockets.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const SECONDS = 20;
const MAX_SECONDS = 1;

const LIMITED_FILES = ['sh', '-c', 'ulimit -n 256 && exec "$0" "$@"'];

const SLOW_HEADERS = { initial: 'GET /api/feed HTTP/1.1\r\nHost: x\r\n', repeated: 'X-Slow: 1\r\n' };
const SLOW_BODY = {
  initial:
    'POST /api/feed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{',
  repeated: ' ',
};
const IDLE = { initial: '', repeated: '' };

/** Posts over a new connection each time, as a client that has no connection yet. */
const postOverNewConnection =
  (url: string, responses: TimedResponse[]): Publish =>
  async (message) => {
    const response = await timedRequest(url, 'POST', '/api/feed', JSON.stringify({ message }));
    responses.push(response);
    if (response.status === 0) throw new Error('no answer');
    const body = JSON.parse(response.text) as Post & { code: string };
    return { post: response.status === 201 ? body : undefined, code: body.code, retryAfter: undefined };
  };

async function run({ sandbox, random, tally }: ScenarioOptions): Promise<Outcome> {
  const folder = await sandbox.createFolder();
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const server = await sandbox.serve(settings, { wrapper: LIMITED_FILES });
  const recorder = new WriteRecorder(random);
  const posts: TimedResponse[] = [];
  const slowClients = new SlowClients(sandbox, server.url);
  slowClients.add(300, SLOW_HEADERS);
  slowClients.add(100, SLOW_BODY);
  slowClients.add(400, IDLE);
  const bystander = await startBystander(sandbox, server.url, { intervalMs: 200, kinds: ['newest'] });
  for (let n = 0; n < SECONDS; n++) {
    await sleep(1000);
    await recorder.send(postOverNewConnection(server.url, posts));
  }
  const { requests, failed, worst } = (await bystander()).newest;
  const { cutOff } = slowClients;
  slowClients.close();
  await sleep(1000);
  const rejected = posts.filter(({ status }) => status !== 201).length;
  tally.expect(requests > 0 && failed === 0, `${failed} of ${requests} reads failed`);
  tally.expect(rejected === 0, `${rejected} of ${posts.length} posts were not stored`);
  const slowest = Math.max(...posts.map(({ seconds }) => seconds));
  tally.expect(Math.max(worst, slowest) < MAX_SECONDS, 'a request took too long');
  await recorder.audit(server.url, tally);
  tally.expect((await server.end('SIGTERM')) === 0, 'the server did not stop cleanly');
  const again = await sandbox.serve(settings);
  await recorder.audit(again.url, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
  return tally.outcome(
    `for ${SECONDS} s, slowest read ${worst} s, slowest post ${slowest} s, ${cutOff} slow connections cut off`,
  );
}

export const slowClients: Scenario = {
  name: 'slow-clients',
  description:
    '300 slow header senders, 100 slow bodies, 400 idle connections under ulimit -n 256: other clients get responses in less than 1 s',
  requirements: ['signals'],
  rounds: 1,
  maxSecondsPerRound: 120,
  run,
};
