import { postJson } from '../support/http/post-json.ts';
import { post } from '../support/product.ts';
import { Database } from './support/database.ts';
import { runOperator } from './support/operator.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const REPORTS_A_ROUND = 50;
const AT_ONCE = 8;

type Settings = Readonly<Record<string, string>>;

/** Reports one post from many networks, and kills the server once so many are acknowledged. @returns how many were */
async function reportAndKill(
  { sandbox }: ScenarioOptions,
  store: Settings,
): Promise<{ id: string; count: number }> {
  const settings = {
    ...store,
    TRUSTED_PROXIES: '127.0.0.1',
    REQUESTS_PER_MINUTE: '0',
    REPORTS_PER_HOUR: '0',
  };
  const server = await sandbox.serve({ ...settings, FEED_POSTS_PER_HOUR: '0' });
  const posted = await post(server.url, `a post ${Math.random()}`);
  const { id } = (await posted.json()) as { id: string };
  let sent = 0;
  let count = 0;
  const report = async (): Promise<void> => {
    while (count < REPORTS_A_ROUND) {
      const forwarded = { 'X-Forwarded-For': `10.0.${sent++}.1` };
      const report = { id, reason: 'illegal' };
      const response = await postJson(`${server.url}/api/reports`, report, forwarded).catch(() => undefined);
      if (response?.status !== 201) return;
      count += 1;
    }
    server.signal('SIGKILL');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, report));
  await server.end('SIGKILL');
  return { id, count };
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, tally, rounds } = options;
  const database = await Database.create(sandbox);
  const stores = [{ DATA_DIR: await sandbox.createFolder() }, { DATABASE_URL: database.url }];
  let acknowledged = 0;
  for (const store of stores) {
    for (let round = 0; round < rounds; round++) {
      const { id, count } = await reportAndKill(options, store);
      const { output } = await runOperator(sandbox, ['reports', '--json'], store);
      const { items } = JSON.parse(output) as { items: { id: string; networks: number }[] };
      const networks = items.find((item) => item.id === id)?.networks ?? 0;
      tally.lost += Math.max(0, count - networks);
      acknowledged += count;
      tally.rounds += 1;
    }
  }
  return tally.outcome(`${acknowledged} reports acknowledged before a kill`);
}

export const reportKills: Scenario = {
  name: 'report-kills',
  description: 'kill -9 of a server that takes reports: every acknowledged report is on the list',
  requirements: ['signals'],
  rounds: 20,
  maxSecondsPerRound: 20,
  run,
};
