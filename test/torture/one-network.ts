import { setTimeout as sleep } from 'node:timers/promises';
import { receiveHook } from '../support/http/hook-receiver.ts';
import { postJson } from '../support/http/post-json.ts';
import { Database } from './support/database.ts';
import { runOperator } from './support/operator.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const VALVE = 120;
const ATTACKERS = 240;
const STRANGERS = 60;
const REPORTS = 800;
const REPORTS_PER_HOUR = 20;
const ARRIVES_WITHIN_MS = 10_000;

type Settings = Readonly<Record<string, string>>;

interface Message {
  readonly event: string;
  readonly id?: string;
}

/** An address of the attacker's /48, each in a /64 of its own. */
const attacker = (n: number): string => `2001:db8:1:${n.toString(16)}::1`;
const stranger = (n: number): string => `2001:db8:${(n + 16).toString(16)}::1`;

async function send(url: string, path: string, address: string, body: object) {
  const response = await postJson(`${url}/api/${path}`, body, { 'X-Forwarded-For': address });
  return { status: response.status, json: (await response.json()) as { id: string } };
}

const post = (url: string, address: string) =>
  send(url, 'feed', address, { message: `from ${address}, ${Math.random()}` });

const countStored = (outcomes: readonly { status: number }[]): number =>
  outcomes.filter(({ status }) => status === 201).length;

async function hasArrived(messages: readonly Message[], is: (message: Message) => boolean): Promise<boolean> {
  const end = performance.now() + ARRIVES_WITHIN_MS;
  while (!messages.some(is) && performance.now() < end) await sleep(50);
  return messages.some(is);
}

async function attack({ sandbox, tally }: ScenarioOptions, engine: string, store: Settings): Promise<string> {
  const { url: hook, messages } = await receiveHook<Message>(sandbox);
  const settings = { ...store, TRUSTED_PROXIES: '127.0.0.1', REQUESTS_PER_MINUTE: '0', HOOK_URL: hook };
  const server = await sandbox.serve({ ...settings, WRITES_PER_MINUTE_TOTAL: String(VALVE) });
  const { url } = server;
  const written = [];
  for (let n = 0; n < ATTACKERS; n++) written.push(await post(url, attacker(n)));
  const stored = countStored(written);
  const answers = [];
  for (let n = 0; n < STRANGERS; n++) answers.push(await post(url, stranger(n)));
  const strangers = countStored(answers);
  tally.expect(stored <= VALVE + VALVE / 4, `${engine}: one /48 wrote ${stored} posts`);
  tally.expect(strangers === STRANGERS, `${engine}: ${strangers} of ${STRANGERS} strangers got through`);

  const ids = answers.map(({ json }) => json.id);
  const matters = ids.pop() ?? '';
  const reported = [];
  for (let n = 0; n < REPORTS; n++)
    reported.push(await send(url, 'reports', attacker(n), { id: ids[n % ids.length], reason: 'illegal' }));
  const accepted = countStored(reported);
  tally.expect(accepted <= REPORTS_PER_HOUR, `${engine}: ${accepted} reports of one /48 were stored`);
  await send(url, 'reports', stranger(1), { id: matters, reason: 'illegal' });
  tally.expect(await hasArrived(messages, ({ id }) => id === matters), `${engine}: the report that mattered`);
  const illegal = messages.filter(({ event }) => event === 'illegal').length;
  tally.expect(illegal <= 3, `${engine}: ${illegal} messages about reports`);

  const [first] = written;
  const args = ['deny', '--behind', first?.json.id ?? '', '--wide', '--yes', '--reason', 'a flood'];
  const { code, output } = await runOperator(sandbox, args, store);
  await sleep(1_000);
  const after = [await post(url, attacker(ATTACKERS)), await post(url, stranger(STRANGERS))];
  const statuses = after.map(({ status }) => status).join(' and ');
  tally.expect(code === 0 && statuses === '403 and 201', `${engine}: deny --wide: ${statuses}, ${output}`);
  await server.end('SIGTERM');

  const full = await sandbox.serve({ ...settings, STORE_MAX_BYTES: '1000' });
  await post(full.url, stranger(2));
  tally.expect(
    await hasArrived(messages, ({ event }) => event === 'storage_full'),
    `${engine}: storage_full`,
  );
  await full.end('SIGTERM');
  tally.rounds += 1;
  return (
    `${engine}: ${stored} posts and ${accepted} reports of one /48, ${illegal} messages, ` +
    `${strangers} of ${STRANGERS} strangers`
  );
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, tally } = options;
  const database = await Database.create(sandbox);
  const remarks = [
    await attack(options, 'folder', { DATA_DIR: await sandbox.createFolder() }),
    await attack(options, 'database', { DATABASE_URL: database.url }),
  ];
  return tally.outcome(remarks.join('; '));
}

export const oneNetwork: Scenario = {
  name: 'one-network',
  description:
    'posts and reports from 240 /64s of one /48: strangers still write, and what matters reaches the operator',
  rounds: 1,
  maxSecondsPerRound: 240,
  run,
};
