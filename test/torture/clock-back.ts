import { WriteRecorder } from './support/write-recorder.ts';
import { overRest, type Post } from './support/publish.ts';
import { getJson, readFeed } from './support/feed.ts';
import { ShiftedClock } from './support/shifted-clock.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

interface Page {
  readonly nextBefore: string | null;
  readonly messages: readonly Post[];
}

const MAX_PAGES = 1000;

async function run({ sandbox, random, tally, rounds }: ScenarioOptions): Promise<Outcome> {
  const clock = await ShiftedClock.create(sandbox, 0);
  const settings = {
    ...clock.settings,
    DATA_DIR: await sandbox.createFolder(),
    FEED_POSTS_PER_HOUR: '0',
  };
  const recorder = new WriteRecorder(random);
  const posts = async (url: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await recorder.send(overRest(url));
  };
  let offsetMinutes = 0;
  let server = await sandbox.serve(settings);
  await posts(server.url, 20);
  for (; tally.rounds < rounds; tally.rounds++) {
    clock.set((offsetMinutes -= 45));
    await posts(server.url, 10);
    const before = (await readFeed(server.url)).posts.map(({ id }) => id);
    const paged: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < MAX_PAGES; pages++) {
      const query: string = cursor === '' ? '' : `&before=${encodeURIComponent(cursor)}`;
      const { messages, nextBefore }: Page = await getJson<Page>(`${server.url}/api/feed?limit=7${query}`);
      paged.push(...messages.map(({ id }) => id));
      cursor = nextBefore;
      clock.set(pages % 2 === 0 ? offsetMinutes - 600 : offsetMinutes + 5);
      if (pages < 5) await posts(server.url, 1);
    }
    tally.expect(paged.join() === before.join(), 'the cursors skipped or repeated a post');
    await recorder.audit(server.url, tally);
    if (tally.rounds % 2 === 0) continue;
    await server.end('SIGTERM');
    clock.set((offsetMinutes -= 24 * 60));
    server = await sandbox.serve(settings);
    await posts(server.url, 5);
    await recorder.audit(server.url, tally);
  }
  const stored = new Date((await readFeed(server.url)).posts[0]!.createdAt).getTime();
  tally.expect(stored > Date.now() - 3600_000, 'createdAt went back with the clock');
  const { time } = JSON.parse(server.log.split('\n')[0]!) as { time: string };
  const hours = Math.round((Date.now() - Date.parse(time)) / 3600_000);
  tally.expect(hours > 0, 'the clock did not go back');
  await server.end('SIGTERM');
  return tally.outcome(`${recorder.acknowledged} acknowledged, the clock ${hours} h back at the end`);
}

export const clockBack: Scenario = {
  name: 'clock-back',
  description: 'the clock steps back under a running server and over a restart: order and cursors hold',
  rounds: 6,
  maxSecondsPerRound: 30,
  run,
};
