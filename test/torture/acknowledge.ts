import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { overMcp, overRest } from './support/publish.ts';
import { logOf } from './support/files.ts';
import { inject, ONE_THREAD } from './support/strace.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

/** Longer than an answer takes. */
const HELD_MS = 4000;

/** Until it is done nobody may be told. */
async function noAnswerBefore(call: 'write' | 'fdatasync', { place, chance, tally }: Options): Promise<void> {
  const [settings, book] = [
    { ...ONE_THREAD, DATA_DIR: await place.folder(), FEED_POSTS_PER_HOUR: '0' },
    new Book(chance),
  ];
  const server = await place.serve(settings);
  for (let n = 0; n < 5; n++) await book.send(overRest(server.url));
  await inject(place, server.pid, [`${call}:delay_enter=${HELD_MS * 1000}`], [logOf(settings.DATA_DIR)]);
  const held = [overRest(server.url), overMcp(server.url)].map((write) => book.send(write));
  const early = await Promise.race([...held, sleep(HELD_MS / 2)]);
  tally.expect(early === undefined, `a post was acknowledged before its ${call}`);
  await server.end('SIGKILL');
  await Promise.all(held);
  const survivor = await place.serve(settings);
  await book.audit(survivor.url, tally);
  await survivor.end('SIGKILL');
  tally.rounds += 1;
}

async function run(options: Options): Promise<Outcome> {
  for (const call of ['write', 'fdatasync'] as const) await noAnswerBefore(call, options);
  return options.tally.outcome(`held back for ${HELD_MS / 2000} s and killed: nobody was told`);
}

export const acknowledge: TorturePromise = {
  name: 'acknowledge',
  does: 'the write of a post, then its sync, is held back: nobody is told before it is done (strace)',
  needs: ['strace', 'attaching'],
  rounds: 2,
  seconds: 60,
  run,
};
