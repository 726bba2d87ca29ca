import { WriteRecorder } from './support/write-recorder.ts';
import { startBystander } from './support/bystander.ts';
import type { Post } from './support/publish.ts';
import { timedRequest, sendBytes } from './support/sockets.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const REQUESTS_AT_ONCE = 200;
const MAX_BODY_BYTES = 256 * 1024;
const MAX_SECONDS = 2;

/** @returns a body of exactly so many bytes, most of them in an unknown property */
function bodyOf(message: string, bytes: number): string {
  const body = (padding: string): string => JSON.stringify({ message, padding });
  return body('x'.repeat(bytes - Buffer.byteLength(body(''))));
}

const REQUEST = 'GET /api/feed?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const countResponses = (text: string): number => text.split('HTTP/1.1 200 OK\r\n').length - 1;

async function run({ sandbox, random, tally, rounds }: ScenarioOptions): Promise<Outcome> {
  const server = await sandbox.serve({ DATA_DIR: await sandbox.createFolder(), FEED_POSTS_PER_HOUR: '0' });
  const recorder = new WriteRecorder(random);
  const bystander = await startBystander(sandbox, server.url, { intervalMs: 50, kinds: ['newest'] });
  for (; tally.rounds < rounds; tally.rounds++) {
    const [pipelined, ...replies] = await Promise.all([
      sendBytes(
        server.url,
        REQUEST.repeat(REQUESTS_AT_ONCE),
        (text) => countResponses(text) === REQUESTS_AT_ONCE,
      ),
      ...Array.from({ length: REQUESTS_AT_ONCE }, (_, n) =>
        recorder.send(async (message) => {
          const { status, text } = await timedRequest(
            server.url,
            'POST',
            '/api/feed',
            bodyOf(message, MAX_BODY_BYTES + (n % 2)),
          );
          if (status === 0) throw new Error('no response');
          const body = JSON.parse(text) as Post & { code: string };
          return { post: status === 201 ? body : undefined, code: body.code, retryAfter: undefined };
        }),
      ),
    ]);
    tally.expect(
      countResponses(pipelined) === REQUESTS_AT_ONCE,
      `${countResponses(pipelined)} of ${REQUESTS_AT_ONCE} pipelined requests got a response`,
    );
    const outcomes = replies.map((reply) => reply?.code ?? (reply === undefined ? 'no response' : 'stored'));
    outcomes.forEach((outcome, n) => {
      tally.expect(
        outcome === (n % 2 === 0 ? 'stored' : 'too_large'),
        `a body of 256 KiB${n % 2 === 0 ? '' : ' and 1 byte'} was ${outcome}`,
      );
    });
  }
  const { requests, failed, worst } = (await bystander()).newest;
  tally.expect(requests > 0 && failed === 0, `${failed} of ${requests} requests of the bystander failed`);
  tally.expect(worst < MAX_SECONDS, 'the bystander waited too long');
  await recorder.audit(server.url, tally);
  tally.expect((await server.end('SIGTERM')) === 0, 'the server did not stop cleanly');
  return tally.outcome(
    `${REQUESTS_AT_ONCE} pipelined reads and ${REQUESTS_AT_ONCE} bodies of 256 KiB at once; a bystander waited ${worst} s at most`,
  );
}

export const greedy: Scenario = {
  name: 'greedy',
  description:
    '200 pipelined reads and 200 bodies of 256 KiB at once; other clients get responses in less than 2 s',
  rounds: 3,
  maxSecondsPerRound: 60,
  run,
};
