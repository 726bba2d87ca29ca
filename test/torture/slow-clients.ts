import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { watchAsBystander } from './support/bystander.ts';
import type { Post, Write } from './support/publish.ts';
import { ask, Crowd, type Answer } from './support/sockets.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const SECONDS = 20;
const MOST_SECONDS = 1;

const FEW_FILES = ['sh', '-c', 'ulimit -n 256 && exec "$0" "$@"'];

const SLOW_HEADERS = { first: 'GET /api/feed HTTP/1.1\r\nHost: x\r\n', then: 'X-Slow: 1\r\n' };
const SLOW_BODY = {
  first:
    'POST /api/feed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n{',
  then: ' ',
};
const IDLE = { first: '', then: '' };

/** Over a new connection each time, as somebody who comes by. */
const newcomer =
  (url: string, answers: Answer[]): Write =>
  async (message) => {
    const answer = await ask(url, 'POST', '/api/feed', JSON.stringify({ message }));
    answers.push(answer);
    if (answer.status === 0) throw new Error('no answer');
    const body = JSON.parse(answer.text) as Post & { code: string };
    return { post: answer.status === 201 ? body : undefined, code: body.code, retryAfter: undefined };
  };

async function run({ place, chance, tally }: Options): Promise<Outcome> {
  const folder = await place.folder();
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const server = await place.serve(settings, { behind: FEW_FILES });
  const book = new Book(chance);
  const posts: Answer[] = [];
  const crowd = new Crowd(place, server.url);
  crowd.join(300, SLOW_HEADERS);
  crowd.join(100, SLOW_BODY);
  crowd.join(400, IDLE);
  const bystander = await watchAsBystander(place, server.url, 200);
  for (let n = 0; n < SECONDS; n++) {
    await sleep(1000);
    await book.send(newcomer(server.url, posts));
  }
  const { asked, unanswered, worst } = await bystander();
  const { cutOff } = crowd;
  crowd.leave();
  await sleep(1000);
  const unposted = posts.filter(({ status }) => status !== 201).length;
  tally.expect(asked > 0 && unanswered === 0, `${unanswered} of ${asked} reads were not answered`);
  tally.expect(unposted === 0, `${unposted} of ${posts.length} posts were not stored`);
  const slowest = Math.max(...posts.map(({ seconds }) => seconds));
  tally.expect(Math.max(worst, slowest) < MOST_SECONDS, 'somebody waited too long');
  await book.audit(server.url, tally);
  tally.expect((await server.end('SIGTERM')) === 0, 'it did not stop cleanly');
  const again = await place.serve(settings);
  await book.audit(again.url, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
  return tally.outcome(
    `for ${SECONDS} s, slowest read ${worst} s, slowest post ${slowest} s, ${cutOff} of the slow cut off`,
  );
}

export const slowClients: TorturePromise = {
  name: 'slow-clients',
  does: '300 slow header senders, 100 slow bodies, 400 idle connections under ulimit -n 256: others are answered under 1 s',
  needs: ['signals'],
  rounds: 1,
  seconds: 120,
  run,
};
