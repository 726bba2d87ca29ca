import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LOCK } from '#store/folder/lock.ts';
import { areSame, snapshot } from './support/files.ts';
import { overMcp, overRest } from './support/publish.ts';
import { runOperator } from './support/operator.ts';
import { runCommand } from './support/sandbox.ts';
import type { Server } from './support/server.ts';
import { olderNotes } from './support/older-notes.ts';
import { WriteRecorder } from './support/write-recorder.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

/** Users without a name on most machines. */
const SERVER_USER = 61_234;
const THIRD_USER = 61_235;
const IMPORTED = 50;

interface Place {
  readonly folder: string;
  readonly exports: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** A data folder of the user of the server. */
async function createPlace({ sandbox }: ScenarioOptions): Promise<Place> {
  const [home, exports, temporary] = [
    await sandbox.createFolder(),
    await sandbox.createFolder(),
    await sandbox.createFolder(),
  ];
  chmodSync(dirname(home), 0o711);
  for (const shared of [exports, temporary]) chmodSync(shared, 0o1777);
  const folder = join(home, 'data');
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, SERVER_USER, SERVER_USER);
  return {
    folder,
    exports,
    settings: { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0', TMPDIR: temporary },
  };
}

/** @returns what below the folder, itself included, does not belong to the user of the server */
function foreignFiles(folder: string): string[] {
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  return names.filter((name) => {
    const { uid, gid } = statSync(join(folder, name));
    return uid !== SERVER_USER || gid !== SERVER_USER;
  });
}

async function signGuestBook({ url }: Server): Promise<string> {
  const response = await fetch(`${url}/api/guestbook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'a guest', note: 'a note' }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** Commands of root, each followed by writes and reads of the server. @returns how many there were */
async function runAsRoot(
  options: ScenarioOptions,
  { folder, exports, settings }: Place,
  recorder: WriteRecorder,
): Promise<number> {
  const { sandbox, tally } = options;
  let commands = 0;
  const root = async (...args: string[]): Promise<void> => {
    const { code, output } = await runOperator(sandbox, args, settings);
    commands += 1;
    tally.expect(code === 0, `root: ${args[0]!} ended with ${code}: ${output}`);
    const foreign = foreignFiles(folder);
    tally.expect(foreign.length === 0, `after ${args[0]!} of root these belong to it: ${foreign.join()}`);
  };
  const reason = ['--reason', 'a test'];
  const notes = join(exports, 'notes.jsonl');
  writeFileSync(notes, olderNotes(IMPORTED));
  // Root makes the store.
  await root('import', notes);
  let server = await sandbox.serve(settings, { uid: SERVER_USER });
  const note = await signGuestBook(server);
  const writes = async (after: string): Promise<void> => {
    for (const write of [overRest(server.url), overMcp(server.url)]) {
      const reply = await recorder.send(write);
      tally.expect(reply?.post !== undefined, `after ${after} of root a post was ${reply?.code ?? 'lost'}`);
    }
    await recorder.audit(server.url, tally);
  };
  await writes('the import');
  const list: readonly string[][] = [
    ['check'],
    ['export', join(exports, 'export.jsonl')],
    ['import', join(exports, 'export.jsonl')],
    ['hide', note, ...reason],
    ['unhide', note, ...reason],
    ['moderation'],
    ['erase', note, ...reason],
    ['forget'],
  ];
  for (const args of list) {
    await root(...args);
    await writes(args[0]!);
  }
  await root('freeze');
  const frozen = await recorder.send(overRest(server.url));
  tally.expect(frozen?.code === 'frozen', `a post while writing is frozen was ${frozen?.code ?? 'stored'}`);
  await root('thaw');
  await writes('thaw');
  // After a crash the next writer replaces the lock, and here that is root.
  await server.end('SIGKILL');
  const lock = join(folder, LOCK);
  writeFileSync(lock, 'of a process that was killed');
  chownSync(lock, SERVER_USER, SERVER_USER);
  await root('freeze');
  await root('thaw');
  tally.expect(!existsSync(lock), 'root has left a lock');
  server = await sandbox.serve(settings, { uid: SERVER_USER });
  await writes('a dead lock');
  const exit = await server.end('SIGTERM');
  tally.expect(exit === 0 && foreignFiles(folder).length === 0, 'the server did not stop as before');
  return commands;
}

/**
 * A user who may not write: every command that would names the user who may, and none changes a byte.
 * @param isReadable whether the user may read
 * @returns how many commands were refused
 */
async function runAsThird(
  { sandbox, tally }: ScenarioOptions,
  { folder, exports, settings }: Place,
  isReadable: boolean,
): Promise<number> {
  const reason = ['--reason', 'a test'];
  const reads: readonly string[][] = [['check'], ['export', join(exports, 'third.jsonl')], ['forget']];
  const writes: readonly string[][] = [
    ['import', join(exports, 'notes.jsonl')],
    ['hide', 'post_x', ...reason],
    ['unhide', 'post_x', ...reason],
    ['erase', 'post_x', ...reason],
    ['freeze'],
    ['thaw'],
  ];
  chmodSync(join(exports, 'notes.jsonl'), 0o644);
  const before = snapshot(folder);
  for (const args of isReadable ? reads : []) {
    const { code, output } = await runOperator(sandbox, args, settings, { uid: THIRD_USER });
    tally.expect(code === 0, `${args[0]!} of a third user who may read ended with ${code}: ${output}`);
  }
  const refused = isReadable ? writes : [...reads, ...writes];
  for (const args of refused) {
    const { code, output } = await runOperator(sandbox, args, settings, { uid: THIRD_USER });
    tally.expect(code === 1, `${args[0]!} of a third user ended with ${code}`);
    tally.expect(
      output.includes(`belongs to user ${SERVER_USER},`) && output.includes('run it as that user or as root'),
      `${args[0]!} of a third user does not name the user who may: ${output}`,
    );
    tally.expect(!/^ {4}at /m.test(output), `${args[0]!} of a third user printed a stack`);
  }
  tally.expect(areSame(before, snapshot(folder)), 'a command of a third user changed a file');
  tally.expect(foreignFiles(folder).length === 0, 'a command of a third user left a file');
  return refused.length;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { tally, rounds, random } = options;
  let [commands, refused, acknowledged] = [0, 0, 0];
  while (tally.rounds < rounds) {
    const [place, recorder] = [await createPlace(options), new WriteRecorder(random)];
    commands += await runAsRoot(options, place, recorder);
    refused += await runAsThird(options, place, false);
    runCommand('chmod', '-R', 'a+rX', place.folder);
    refused += await runAsThird(options, place, true);
    acknowledged += recorder.acknowledged;
    tally.rounds += 1;
  }
  return tally.outcome(
    `${commands} commands of root beside a server of user ${SERVER_USER}, ${acknowledged} acknowledged, a crash in between; ` +
      `${refused} commands of a third user refused, of a closed and of a readable folder`,
  );
}

export const otherUser: Scenario = {
  name: 'other-user',
  description: 'operator commands of root, and of a third user, beside a server of another user (root)',
  requirements: ['root', 'signals'],
  rounds: 1,
  maxSecondsPerRound: 240,
  run,
};
