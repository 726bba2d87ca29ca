import { setTimeout as sleep } from 'node:timers/promises';
import { Book } from './support/write-recorder.ts';
import { readFeed } from './support/feed.ts';
import { Answers, endAll } from './support/postgres-clients.ts';
import { Database, killBackends } from './support/database.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const LIMIT = 24;
const AT_ONCE = 120;
const INSTANCES = 3;
const LONGEST_LIFE_MS = 300;
const TROUBLES = ['none', 'instance', 'backends'] as const;

/** Somebody of the network of this round. */
const someone = (round: number, n: number): string =>
  `2001:db8:ffff:${round.toString(16)}::${n.toString(16)}`;

async function run({ rounds, chance, place, tally }: Options): Promise<Outcome> {
  const database = await Database.begin(place);
  const servers = await database.serve(INSTANCES);
  const killer = await database.connect();
  const [book, answers] = [new Book(chance), new Answers(tally)];
  let unanswered = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const trouble = TROUBLES[tally.rounds % TROUBLES.length];
    const victim = chance.below(INSTANCES);
    const [known, acknowledged] = [(await readFeed(servers[0]!.url)).total, book.acknowledged];
    const send = (n: number) => {
      const { url } = servers[n % INSTANCES]!;
      return book.send(answers.overRest(url, someone(tally.rounds, n)));
    };
    const sent = Array.from({ length: AT_ONCE }, (_, n) => send(n));
    await sleep(chance.below(LONGEST_LIFE_MS));
    if (trouble === 'instance') await servers[victim]!.end('SIGKILL');
    if (trouble === 'backends') await killBackends(killer);
    const replies = await Promise.all(sent);
    if (trouble === 'instance') [servers[victim]] = (await database.serve(1)) as [(typeof servers)[0]];
    const open = replies.filter((reply) => reply === undefined).length;
    unanswered += open;
    tally.expect(trouble === 'instance' || open === 0, 'an instance gave no answer');
    const letIn = book.acknowledged - acknowledged;
    const stored = (await readFeed(servers[0]!.url)).total - known;
    tally.expect(stored === LIMIT, `${stored} posts were stored instead of ${LIMIT}`);
    tally.expect(
      letIn <= stored && letIn + open >= stored,
      `${letIn} acknowledged and ${open} open, but ${stored} stored`,
    );
    const later = await Promise.all(servers.map((_, n) => send(AT_ONCE + n)));
    tally.expect(
      later.every((reply) => reply?.code === 'rate_limited'),
      'the limit was open again',
    );
    for (const { url } of servers) await book.audit(url, tally);
  }
  await endAll(servers, tally);
  return tally.outcome(
    `exactly ${LIMIT} of ${AT_ONCE} at once, ${book.acknowledged} acknowledged, ${unanswered} not answered by an instance that ` +
      `was killed; slowest ${answers.slowest} s`,
  );
}

export const postgresLimits: TorturePromise = {
  name: 'postgres-limits',
  does: '120 posts of one network at once over three instances, also with one killed or all backends ended in the middle',
  needs: ['signals'],
  rounds: 12,
  seconds: 30,
  run,
};
