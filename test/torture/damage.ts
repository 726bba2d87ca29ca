import { cpSync } from 'node:fs';
import { DAMAGES, StoreFiles } from './support/damages.ts';
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

/** @returns the ids of every post, guest note and project */
async function idsAt(url: string): Promise<string[]> {
  const { messages } = await getJson<{ messages: Items }>(`${url}/api/feed?limit=100`);
  const { notes } = await getJson<{ notes: Items }>(`${url}/api/guestbook?limit=100`);
  const { projects } = await getJson<{ projects: Items }>(`${url}/api/projects?limit=100`);
  return [...messages, ...notes, ...projects].map(({ id }) => id);
}

async function createStore(sandbox: Sandbox): Promise<string> {
  const folder = await sandbox.createFolder();
  const server = await sandbox.serve({ DATA_DIR: folder });
  const send = async (path: string, body: object): Promise<unknown> =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  for (let n = 0; n < 20; n++) await overRest(server.url)(`IDEA: number ${n} ${'x'.repeat(100)}`);
  await send('/api/guestbook', { name: 'a guest', note: 'a note' });
  await send('/api/projects', { title: 'a project', summary: 'of some use', by: 'somebody' });
  await overRest(server.url)('the last one');
  await server.end('SIGTERM');
  return folder;
}

/** @returns the ids in the lines that the damage left unchanged */
function undamagedIds(before: StoreFiles, after: Buffer | undefined): string[] {
  return before.lines.slice(1).flatMap((line) => {
    if (after !== undefined && !after.includes(line)) return [];
    return (JSON.parse(line.toString()) as { do: { record: { id: string } }[] }).do.map(
      ({ record }) => record.id,
    );
  });
}

/**
 * After a start on a damaged store: every undamaged record is served, every file still begins with its bytes,
 * and a post is either stored or rejected.
 */
async function checkStarted(
  description: string,
  server: Server,
  before: StoreFiles,
  damaged: Snapshot,
  { folder, tally, sandbox }: DamageOptions,
): Promise<void> {
  const undamaged = undamagedIds(before, damaged.get(before.log.slice(before.folder.length + 1)));
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
    files.get(name)?.subarray(0, bytes.length).equals(bytes),
  );
  tally.expect(isUnchanged, `${description}: files were overwritten`);
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
  const original = new StoreFiles(await createStore(sandbox));
  const started: string[] = [];
  for (const [description, damage] of Object.entries(DAMAGES)) {
    const folder = await sandbox.createFolder();
    cpSync(original.folder, folder, { recursive: true });
    damage(new StoreFiles(folder));
    const damaged = snapshot(folder);
    const server = sandbox.launch({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' });
    const listens = await server.ready().then(
      () => true,
      () => false,
    );
    if (listens) {
      started.push(description);
      await checkStarted(description, server, original, damaged, { ...options, folder });
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
