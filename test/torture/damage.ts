import { cpSync } from 'node:fs';
import { DAMAGES, piecesOf, StoreFiles } from './support/damages.ts';
import { overRest } from './support/publish.ts';
import { getJson, healthOf } from './support/feed.ts';
import { areSame, snapshot } from './support/files.ts';
import type { Sandbox } from './support/sandbox.ts';
import type { Server } from './support/server.ts';
import { withTimeout } from './support/time.ts';
import type { ScenarioOptions, Outcome, Tally, Scenario } from './scenario.ts';

type Snapshot = ReturnType<typeof snapshot>;
type DamageOptions = ScenarioOptions & { readonly folder: string };
type Items = readonly { id: string }[];

const RECORDS = 33;
const BLANK = 0x20;

/** @returns the ids of every post, guest note and project */
async function idsAt(url: string): Promise<string[]> {
  const { messages } = await getJson<{ messages: Items }>(`${url}/api/feed?limit=100`);
  const { notes } = await getJson<{ notes: Items }>(`${url}/api/guestbook?limit=100`);
  const { projects } = await getJson<{ projects: Items }>(`${url}/api/projects?limit=100`);
  return [...messages, ...notes, ...projects].map(({ id }) => id);
}

/** Makes a store whose server was killed once. */
async function createStore(sandbox: Sandbox): Promise<string> {
  const settings = { DATA_DIR: await sandbox.createFolder(), FEED_POSTS_PER_HOUR: '0' };
  const crashing = await sandbox.serve(settings);
  const posts = async (url: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await overRest(url)(`IDEA: number ${n} ${'x'.repeat(100)}`);
  };
  await posts(crashing.url, 10);
  await crashing.end('SIGKILL');
  const server = await sandbox.serve(settings);
  const send = async (path: string, body: object): Promise<unknown> =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await posts(server.url, 20);
  await send('/api/guestbook', { name: 'a guest', note: 'a note' });
  await send('/api/projects', { title: 'a project', summary: 'of some use', by: 'somebody' });
  await overRest(server.url)('the last one');
  await server.end('SIGTERM');
  return settings.DATA_DIR;
}

/** @returns the ids in the lines that the damage left unchanged */
function undamagedIds(before: Snapshot, after: Snapshot): Set<string> {
  const ids = new Set<string>();
  for (const [name, bytes] of before) {
    if (!name.endsWith('.jsonl')) continue;
    for (const line of piecesOf(bytes, /(?<=\n)/)) {
      const id = /"record":\{"id":"([^"]+)"/.exec(line.toString())?.[1];
      if (id !== undefined && after.get(name)?.includes(line) === true) ids.add(id);
    }
  }
  return ids;
}

/**
 * After a start on a damaged store: every undamaged record is served, every file still begins with its bytes
 * but for blanks over what does not count, and a post is either stored or rejected.
 */
async function checkStarted(
  description: string,
  server: Server,
  before: Snapshot,
  damaged: Snapshot,
  { folder, tally, sandbox }: DamageOptions,
): Promise<void> {
  const undamaged = [...undamagedIds(before, damaged)];
  const found = await idsAt(server.url);
  tally.lost += undamaged.filter((id) => !found.includes(id)).length;
  const reply = await overRest(server.url)('after the damage');
  const health = await healthOf(server.url);
  tally.expect(
    (reply.post !== undefined) === (health.status === 200),
    `${description}: a post is ${reply.code ?? 'stored'} while /healthz is ${health.status}`,
  );
  await server.end('SIGTERM');
  const files = snapshot(folder);
  const isUnchanged = [...damaged].every(([name, bytes]) =>
    bytes.every((byte, at) => byte === files.get(name)?.[at] || files.get(name)?.[at] === BLANK),
  );
  tally.expect(isUnchanged, `${description}: something else than blanks was written over bytes`);
  const again = await sandbox.serve({ DATA_DIR: folder });
  const wanted = reply.post === undefined ? undamaged : [...undamaged, reply.post.id];
  const ids = await idsAt(again.url);
  tally.lost += wanted.filter((id) => !ids.includes(id)).length;
  await again.end('SIGTERM');
}

function checkRefused(
  description: string,
  exit: unknown,
  log: string,
  names: readonly string[],
  tally: Tally,
): void {
  tally.expect(typeof exit === 'number' && exit > 0, `${description}: the exit was ${String(exit)}`);
  tally.expect(
    names.some((name) => log.includes(name)),
    `${description}: the message names no file: ${log.slice(0, 80)}`,
  );
  tally.expect(!/^ {4}at /m.test(log), `${description}: it printed a stack`);
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, tally } = options;
  const original = await createStore(sandbox);
  const whole = snapshot(original);
  tally.expect(undamagedIds(whole, whole).size === RECORDS, 'the store to damage is not as expected');
  const started: string[] = [];
  for (const [description, damage] of Object.entries(DAMAGES)) {
    const folder = await sandbox.createFolder();
    cpSync(original, folder, { recursive: true });
    damage(new StoreFiles(folder));
    const damaged = snapshot(folder);
    const server = sandbox.launch({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' });
    const listens = await server.ready().then(
      () => true,
      () => false,
    );
    if (listens) {
      started.push(description);
      await checkStarted(description, server, whole, damaged, { ...options, folder });
    } else {
      checkRefused(
        description,
        await withTimeout(10, 'the exit', server.exited),
        server.log,
        ['.jsonl', 'keys'],
        tally,
      );
      tally.expect(areSame(damaged, snapshot(folder)), `${description}: a file was changed`);
    }
    tally.rounds += 1;
  }
  return tally.outcome(
    `${tally.rounds - started.length} refused, ${started.length} started with everything undamaged: ${started.join(', ')}`,
  );
}

export const damage: Scenario = {
  name: 'damage',
  description: `${Object.keys(DAMAGES).length} kinds of damaged files: the start is refused without changing a byte, or every undamaged record is served`,
  rounds: Object.keys(DAMAGES).length,
  maxSecondsPerRound: 10,
  run,
};
