import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadGenerator, WriteRecorder } from './support/write-recorder.ts';
import { eightWriters } from './support/publish.ts';
import type { Sandbox } from './support/sandbox.ts';
import { secondsSince } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const MAX_SECONDS = 10;

/** Opens a connection that announces a body and never sends the rest of it. */
function sendIncompleteBody(sandbox: Sandbox, url: string): void {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write(
    'POST /api/feed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
  );
  sandbox.defer(() => socket.destroy());
}

async function run({ rounds, random, sandbox, tally }: ScenarioOptions): Promise<Outcome> {
  const settings = { DATA_DIR: await sandbox.createFolder(), FEED_POSTS_PER_HOUR: '0' };
  const recorder = new WriteRecorder(random);
  let slowest = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const server = await sandbox.serve(settings);
    await recorder.audit(server.url, tally, 'news');
    const withIncompleteBody = tally.rounds % 3 === 2;
    if (withIncompleteBody) sendIncompleteBody(sandbox, server.url);
    const load = new LoadGenerator(recorder, eightWriters(server.url));
    await sleep(100 + random.below(400));
    const start = performance.now();
    const exit = await server.end('SIGTERM');
    slowest = Math.max(slowest, secondsSince(start));
    await load.stop();
    tally.expect(exit === 0, `the exit was ${exit}`);
    tally.expect(!/"level":[56]0/.test(server.log), 'an error was logged');
  }
  const last = await sandbox.serve(settings);
  await recorder.audit(last.url, tally);
  await last.end('SIGTERM');
  tally.expect(slowest < MAX_SECONDS, 'a stop took too long');
  return tally.outcome(
    `${recorder.acknowledged} acknowledged; slowest stop ${slowest} s, in every third round with a client that never sends its body`,
  );
}

export const cleanStop: Scenario = {
  name: 'clean-stop',
  description: 'SIGTERM under load from 8 writers: exit 0 within 10 s, every acknowledged post is stored',
  requirements: ['signals'],
  rounds: 6,
  maxSecondsPerRound: 20,
  run,
};
