import { spawnSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { WriteRecorder } from './support/write-recorder.ts';
import { overRest } from './support/publish.ts';
import { areSame, logOf, snapshot } from './support/files.ts';
import { runCommand } from './support/sandbox.ts';
import { expectRecovery, expectWritesRejected } from './support/storage-failure.ts';
import { withTimeout } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const settingsOf = (folder: string) => ({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' });

async function fill(recorder: WriteRecorder, url: string): Promise<void> {
  for (let n = 0; n < 20; n++) await recorder.send(overRest(url));
}

/** Makes the open log immutable. @returns false if the file system does not support that */
async function makeLogImmutable({ sandbox, random, tally }: ScenarioOptions): Promise<boolean> {
  const [folder, recorder] = [await sandbox.createFolder(), new WriteRecorder(random)];
  const server = await sandbox.serve(settingsOf(folder));
  await fill(recorder, server.url);
  const log = logOf(folder);
  sandbox.defer(() => spawnSync('chattr', ['-i', log]));
  if (spawnSync('chattr', ['+i', log]).status !== 0) return false;
  await expectWritesRejected('immutable', recorder, server, tally);
  runCommand('chattr', '-i', log);
  await expectRecovery('immutable', recorder, server, tally);
  await server.end('SIGTERM');
  tally.rounds += 1;
  return true;
}

/** Starts on a read-only disk: one clear message, and every post is there once the disk is writable. */
async function startReadOnly({ sandbox, random, tally }: ScenarioOptions): Promise<boolean> {
  const [root, recorder] = [
    await sandbox.mount('-t', 'tmpfs', '-o', 'size=4m', 'porchlight-torture'),
    new WriteRecorder(random),
  ];
  const folder = join(root, 'data');
  const server = await sandbox.serve(settingsOf(folder));
  await fill(recorder, server.url);
  await server.end('SIGTERM');
  const before = snapshot(folder);
  runCommand('mount', '-o', 'remount,ro', root);
  const refused = sandbox.launch(settingsOf(folder));
  const exit = await withTimeout(30, 'a start on a read-only disk', refused.exited);
  tally.expect(exit === 1 && refused.log.includes('EROFS'), `read-only: the start ended with ${exit}`);
  tally.expect(refused.log.includes(folder) && !/^ {4}at /m.test(refused.log), 'read-only: no clear message');
  runCommand('mount', '-o', 'remount,rw', root);
  tally.expect(areSame(before, snapshot(folder)), 'read-only: a file was changed');
  const again = await sandbox.serve(settingsOf(folder));
  await expectRecovery('read-only', recorder, again, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
  return true;
}

/** Triggers the kernel's response to an error: the file system becomes read-only under the open log. */
async function triggerFileSystemError({ sandbox, random, tally }: ScenarioOptions): Promise<boolean> {
  const [image, recorder] = [join(await sandbox.createFolder(), 'image'), new WriteRecorder(random)];
  writeFileSync(image, '');
  truncateSync(image, 16 * 1024 * 1024);
  if (spawnSync('mkfs.ext4', ['-q', '-F', image]).status !== 0) return false;
  const root = await sandbox.mount('-o', 'loop,errors=remount-ro', image).catch(() => undefined);
  if (root === undefined) return false;
  const folder = join(root, 'data');
  const server = await sandbox.serve(settingsOf(folder));
  await fill(recorder, server.url);
  const device = basename(runCommand('findmnt', '-no', 'SOURCE', root).trim());
  writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'a test');
  await expectWritesRejected('emergency', recorder, server, tally);
  await server.end('SIGTERM');
  runCommand('umount', root);
  spawnSync('e2fsck', ['-fy', image]);
  runCommand('mount', '-o', 'loop', image, root);
  const again = await sandbox.serve(settingsOf(folder));
  await expectRecovery('emergency', recorder, again, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
  return true;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const cases: readonly (readonly [name: string, runCase: (options: ScenarioOptions) => Promise<boolean>])[] =
    [
      ['log made immutable', makeLogImmutable],
      ['start on a read-only disk', startReadOnly],
      ['file system turned read-only after an error', triggerFileSystemError],
    ];
  const remarks: string[] = [];
  for (const [name, runCase] of cases) remarks.push((await runCase(options)) ? name : `NOT TRIED: ${name}`);
  return options.tally.outcome(remarks.join('; '));
}

export const readOnly: Scenario = {
  name: 'read-only',
  description: 'the disk becomes read-only under a running server, and before a start (root)',
  requirements: ['root'],
  rounds: 3,
  maxSecondsPerRound: 60,
  run,
};
