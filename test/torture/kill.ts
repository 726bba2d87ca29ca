import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Book, Load } from './support/write-recorder.ts';
import { eightWriters } from './support/publish.ts';
import { logOf } from './support/files.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const LONGEST_LIFE_MS = 400;

/** A kill seldom cuts a write in two, so in every tenth round we do. @returns whether there is a torn line at the end */
function tear(folder: string, round: number): boolean {
  const log = readFileSync(logOf(folder));
  if (log.at(-1) !== 0x0a) return true;
  if (round % 10 !== 0) return false;
  const line = log.subarray(log.lastIndexOf(0x0a, -2) + 1);
  appendFileSync(logOf(folder), line.subarray(0, line.length / 2));
  return true;
}

async function run({ rounds, chance, place, tally, tell }: Options): Promise<Outcome> {
  const folder = await place.folder();
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const book = new Book(chance);
  let torn = 0;
  let victim = await place.serve(settings);
  while (tally.rounds < rounds) {
    const load = new Load(book, eightWriters(victim.url));
    await sleep(10 + chance.below(LONGEST_LIFE_MS));
    await victim.end('SIGKILL');
    await load.stop();
    tally.rounds += 1;
    const isTorn = tear(folder, tally.rounds);
    victim = await place.serve(settings);
    if (isTorn) torn += 1;
    tally.expect(
      victim.log.includes('passed over') === isTorn,
      'a torn line was not reported, or one that is none',
    );
    const full = tally.rounds % 50 === 0 || tally.rounds === rounds;
    await book.audit(victim.url, tally, full ? 'all' : 'news');
    if (tally.rounds % 20 === 0)
      tell(`${tally.rounds} of ${rounds}, lost ${tally.lost} of ${book.acknowledged}`);
  }
  tally.expect((await victim.end('SIGTERM')) === 0, 'the last one did not stop cleanly');
  return tally.outcome(
    `${book.acknowledged} acknowledged, opened ${tally.rounds} of ${rounds} times, ${torn} torn lines passed over`,
  );
}

export const kill: TorturePromise = {
  name: 'kill',
  does: 'kill -9 at random moments under load from 8 writers over REST and MCP',
  needs: ['signals'],
  rounds: 20,
  seconds: 10,
  run,
};
