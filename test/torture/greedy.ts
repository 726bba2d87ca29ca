import { Book } from './support/write-recorder.ts';
import { watchAsBystander } from './support/bystander.ts';
import type { Post } from './support/publish.ts';
import { ask, exchange } from './support/sockets.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const GREED = 200;
const MOST_BYTES = 256 * 1024;
const MOST_SECONDS = 2;

/** A body of exactly so many bytes, most of them in a property that nobody knows. */
function bodyOf(message: string, bytes: number): string {
  const body = (padding: string): string => JSON.stringify({ message, padding });
  return body('x'.repeat(bytes - Buffer.byteLength(body(''))));
}

const REQUEST = 'GET /api/feed?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n';
const answersIn = (text: string): number => text.split('HTTP/1.1 200 OK\r\n').length - 1;

async function run({ place, chance, tally, rounds }: Options): Promise<Outcome> {
  const server = await place.serve({ DATA_DIR: await place.folder(), FEED_POSTS_PER_HOUR: '0' });
  const book = new Book(chance);
  const bystander = await watchAsBystander(place, server.url, 50);
  for (; tally.rounds < rounds; tally.rounds++) {
    const [pipelined, ...replies] = await Promise.all([
      exchange(server.url, REQUEST.repeat(GREED), (text) => answersIn(text) === GREED),
      ...Array.from({ length: GREED }, (_, n) =>
        book.send(async (message) => {
          const { status, text } = await ask(
            server.url,
            'POST',
            '/api/feed',
            bodyOf(message, MOST_BYTES + (n % 2)),
          );
          if (status === 0) throw new Error('no answer');
          const body = JSON.parse(text) as Post & { code: string };
          return { post: status === 201 ? body : undefined, code: body.code, retryAfter: undefined };
        }),
      ),
    ]);
    tally.expect(
      answersIn(pipelined) === GREED,
      `${answersIn(pipelined)} of ${GREED} pipelined requests were answered`,
    );
    const judged = replies.map((reply) => reply?.code ?? (reply === undefined ? 'not answered' : 'stored'));
    judged.forEach((told, n) => {
      tally.expect(
        told === (n % 2 === 0 ? 'stored' : 'too_large'),
        `a body of 256 KiB${n % 2 === 0 ? '' : ' and 1 byte'} was ${told}`,
      );
    });
  }
  const { asked, unanswered, worst } = await bystander();
  tally.expect(
    asked > 0 && unanswered === 0,
    `${unanswered} of ${asked} requests of a bystander were not answered`,
  );
  tally.expect(worst < MOST_SECONDS, 'a bystander waited too long');
  await book.audit(server.url, tally);
  tally.expect((await server.end('SIGTERM')) === 0, 'it did not stop cleanly');
  return tally.outcome(
    `${GREED} pipelined reads and ${GREED} bodies of 256 KiB at once; a bystander waited ${worst} s at most`,
  );
}

export const greedy: TorturePromise = {
  name: 'greedy',
  does: '200 pipelined reads and 200 bodies of 256 KiB at once; others are answered under 2 s',
  rounds: 3,
  seconds: 60,
  run,
};
