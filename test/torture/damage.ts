import { cpSync } from 'node:fs';
import { DAMAGES, Files } from './support/damages.ts';
import { overRest } from './support/publish.ts';
import { getJson, healthOf } from './support/feed.ts';
import { areSame, snapshot } from './support/files.ts';
import type { Place } from './support/sandbox.ts';
import type { Server } from './support/server.ts';
import { within } from './support/time.ts';
import type { Options, Outcome, Tally, TorturePromise } from './scenario.ts';

type Snapshot = ReturnType<typeof snapshot>;
type Case = Options & { readonly folder: string };
type Items = readonly { id: string }[];

/** @returns the ids of all there is */
async function idsAt(url: string): Promise<string[]> {
  const { messages } = await getJson<{ messages: Items }>(`${url}/api/feed?limit=100`);
  const { notes } = await getJson<{ notes: Items }>(`${url}/api/guestbook?limit=100`);
  const { projects } = await getJson<{ projects: Items }>(`${url}/api/projects?limit=100`);
  return [...messages, ...notes, ...projects].map(({ id }) => id);
}

async function makeStore(place: Place): Promise<string> {
  const folder = await place.folder();
  const server = await place.serve({ DATA_DIR: folder });
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

/** @returns the ids in the lines that the damage left whole */
function goodIds(before: Files, after: Buffer | undefined): string[] {
  return before.lines.slice(1).flatMap((line) => {
    if (after !== undefined && !after.includes(line)) return [];
    return (JSON.parse(line.toString()) as { do: { record: { id: string } }[] }).do.map(
      ({ record }) => record.id,
    );
  });
}

/** It started: then all that is good is there, what was on the disk still is, and a write is kept or refused. */
async function judgeStart(
  what: string,
  server: Server,
  before: Files,
  damaged: Snapshot,
  { folder, tally, place }: Case,
): Promise<void> {
  const good = goodIds(before, damaged.get(before.log.slice(before.folder.length + 1)));
  const there = await idsAt(server.url);
  tally.lost += good.filter((id) => !there.includes(id)).length;
  const reply = await overRest(server.url)('after the damage');
  const health = await healthOf(server.url);
  tally.expect(
    (reply.post !== undefined) === (health.status === 200),
    `${what}: a post is ${reply.code ?? 'stored'} while /healthz says ${health.status}`,
  );
  await server.end('SIGTERM');
  const files = snapshot(folder);
  const kept = [...damaged].every(([name, bytes]) =>
    files.get(name)?.subarray(0, bytes.length).equals(bytes),
  );
  tally.expect(kept, `${what}: files were overwritten`);
  const again = await place.serve({ DATA_DIR: folder });
  const wanted = reply.post === undefined ? good : [...good, reply.post.id];
  const ids = await idsAt(again.url);
  tally.lost += wanted.filter((id) => !ids.includes(id)).length;
  await again.end('SIGTERM');
}

function judgeRefusal(what: string, how: unknown, log: string, names: readonly string[], tally: Tally): void {
  tally.expect(typeof how === 'number' && how > 0, `${what}: it ended with ${String(how)}`);
  tally.expect(
    names.some((name) => log.includes(name)),
    `${what}: the message names no file: ${log.slice(0, 80)}`,
  );
  tally.expect(!/^ {4}at /m.test(log), `${what}: it told a stack`);
}

async function run(options: Options): Promise<Outcome> {
  const { place, tally } = options;
  const whole = new Files(await makeStore(place));
  const started: string[] = [];
  for (const [what, damage] of Object.entries(DAMAGES)) {
    const folder = await place.folder();
    cpSync(whole.folder, folder, { recursive: true });
    damage(new Files(folder));
    const damaged = snapshot(folder);
    const server = place.launch({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' });
    const listens = await server.ready().then(
      () => true,
      () => false,
    );
    if (listens) {
      started.push(what);
      await judgeStart(what, server, whole, damaged, { ...options, folder });
    } else {
      judgeRefusal(
        what,
        await within(10, 'an end', server.exited),
        server.log,
        ['CURRENT', '.jsonl', 'keys'],
        tally,
      );
      tally.expect(areSame(damaged, snapshot(folder)), `${what}: a file was touched`);
    }
    tally.rounds += 1;
  }
  return tally.outcome(
    `${tally.rounds - started.length} refused, ${started.length} started with all that was good: ${started.join(', ')}`,
  );
}

export const damage: TorturePromise = {
  name: 'damage',
  does: `${Object.keys(DAMAGES).length} kinds of damaged files: refused without touching a byte, or all that is good is there`,
  rounds: Object.keys(DAMAGES).length,
  seconds: 10,
  run,
};
