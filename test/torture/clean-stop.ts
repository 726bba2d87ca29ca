import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Book, Load } from './support/write-recorder.ts';
import { eightWriters } from './support/publish.ts';
import type { Place } from './support/sandbox.ts';
import { secondsSince } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const MOST_SECONDS = 10;

/** Somebody who announced a body and never sends the rest of it. */
function dawdle(place: Place, url: string): void {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  socket.write(
    'POST /api/feed HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
  );
  place.defer(() => socket.destroy());
}

async function run({ rounds, chance, place, tally }: Options): Promise<Outcome> {
  const settings = { DATA_DIR: await place.folder(), FEED_POSTS_PER_HOUR: '0' };
  const book = new Book(chance);
  let slowest = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const server = await place.serve(settings);
    await book.audit(server.url, tally, 'news');
    const hanging = tally.rounds % 3 === 2;
    if (hanging) dawdle(place, server.url);
    const load = new Load(book, eightWriters(server.url));
    await sleep(100 + chance.below(400));
    const start = performance.now();
    const how = await server.end('SIGTERM');
    slowest = Math.max(slowest, secondsSince(start));
    await load.stop();
    tally.expect(how === 0, `it ended with ${how}`);
    tally.expect(!/"level":[56]0/.test(server.log), 'it logged an error');
  }
  const last = await place.serve(settings);
  await book.audit(last.url, tally);
  await last.end('SIGTERM');
  tally.expect(slowest < MOST_SECONDS, 'it took too long');
  return tally.outcome(
    `${book.acknowledged} acknowledged; slowest stop ${slowest} s, in every third round with a client that never sends its body`,
  );
}

export const cleanStop: TorturePromise = {
  name: 'clean-stop',
  does: 'SIGTERM under load from 8 writers: exit 0 within 10 s, all that was acknowledged is there',
  needs: ['signals'],
  rounds: 6,
  seconds: 20,
  run,
};
