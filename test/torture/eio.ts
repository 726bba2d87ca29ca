import { WriteRecorder } from './support/write-recorder.ts';
import { overMcp, overRest } from './support/publish.ts';
import { logOf, untilUnlocked } from './support/files.ts';
import { runOperator } from './support/operator.ts';
import { injectFaults, SINGLE_THREAD } from './support/strace.ts';
import { expectRecovery, expectWritesRejected } from './support/storage-failure.ts';
import type { Server } from './support/server.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

/** Faults of one system call, and the error code of the post that meets each. */
const SINGLE_FAULTS: readonly (readonly [fault: string, code: string | undefined])[] = [
  ['write:error=EIO:when=1', 'storage_unavailable'],
  ['write:error=ENOSPC:when=1', 'storage_unavailable'],
];

/** Faults of every call until they are removed. */
const LASTING_FAULTS: readonly (readonly string[])[] = [
  ['write:error=EIO'],
  ['write:error=EROFS', 'fdatasync:error=EROFS'],
];

/** Expects the code of the fault for a post, and that a retry with its key stores it once. */
async function expectRetryAfterFault(
  { sandbox, tally }: ScenarioOptions,
  recorder: WriteRecorder,
  server: Server,
  folder: string,
  [fault, code]: (typeof SINGLE_FAULTS)[number],
): Promise<void> {
  await untilUnlocked(folder);
  const detach = await injectFaults(sandbox, server.pid, [fault], [logOf(folder)]);
  const [text, key] = [recorder.newText(), `eio-${tally.rounds}-key`];
  const reply = await recorder.send(overRest(server.url), text, key);
  tally.expect(reply?.code === code, `${fault}: a post got ${reply?.code ?? 'success'}`);
  tally.expect(code === undefined || (reply?.retryAfter ?? 0) > 0, `${fault}: no Retry-After`);
  const again = await recorder.send(overMcp(server.url), text, key);
  tally.expect(again?.post !== undefined, `${fault}: the retry got ${again?.code ?? 'no response'}`);
  await detach();
  await expectRecovery(fault, recorder, server, tally);
  tally.rounds += 1;
}

/** One sync fails: the outcome of its post is unknown, and every later write is rejected until a repair. */
async function expectRepair(
  { sandbox, tally }: ScenarioOptions,
  recorder: WriteRecorder,
  server: Server,
  settings: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
): Promise<Server> {
  const fault = 'fdatasync:error=EIO:when=1';
  const detach = await injectFaults(sandbox, server.pid, [fault], [logOf(settings.DATA_DIR)]);
  const [text, key] = [recorder.newText(), 'eio-failed-sync'];
  const first = await recorder.send(overRest(server.url), text, key);
  tally.expect(first?.code === 'storage_outcome_unknown', `no sync: a post got ${first?.code ?? 'success'}`);
  await detach();
  await expectWritesRejected('after a failed sync', recorder, server, tally);
  tally.expect((await server.end('SIGTERM')) === 0, 'the server did not stop cleanly');
  const { code, output } = await runOperator(sandbox, ['repair'], settings);
  tally.expect(code === 0, `the repair ended with ${code}: ${output}`);
  const again = await sandbox.serve(settings);
  const retry = await recorder.send(overMcp(again.url), text, key);
  tally.expect(retry?.post !== undefined, `after the repair the retry got ${retry?.code ?? 'no response'}`);
  await expectRecovery('after the repair', recorder, again, tally);
  tally.rounds += 1;
  return again;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, random, tally } = options;
  const folder = await sandbox.createFolder();
  const settings = { ...SINGLE_THREAD, DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const recorder = new WriteRecorder(random);
  const server = await sandbox.serve(settings);
  for (let n = 0; n < 20; n++) await recorder.send(overRest(server.url));
  for (const fault of SINGLE_FAULTS) await expectRetryAfterFault(options, recorder, server, folder, fault);
  for (const faults of LASTING_FAULTS) {
    const label = faults.join(' ');
    await untilUnlocked(folder);
    const detach = await injectFaults(sandbox, server.pid, faults, [logOf(folder)]);
    await expectWritesRejected(label, recorder, server, tally);
    await detach();
    await expectRecovery(label, recorder, server, tally);
    tally.rounds += 1;
  }
  const again = await expectRepair(options, recorder, server, settings);
  await recorder.audit(again.url, tally);
  tally.expect((await again.end('SIGTERM')) === 0, 'the repaired server did not stop cleanly');
  return tally.outcome(
    `EIO, ENOSPC and EROFS of write and sync, once and lasting; ${recorder.acknowledged} acknowledged`,
  );
}

export const eio: Scenario = {
  name: 'eio',
  description: 'writes and syncs that fail once, or for a while, under a running server (strace)',
  requirements: ['strace', 'attaching'],
  rounds: 5,
  maxSecondsPerRound: 30,
  run,
};
