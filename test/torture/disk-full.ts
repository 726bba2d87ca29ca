import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { WriteRecorder } from './support/write-recorder.ts';
import { limitedFiles, FREE_BYTES, tinyDisk, type Disk } from './support/disks.ts';
import { missingRequirement } from './support/requirements.ts';
import { expectRecovery, expectWritesRejected, postUntilRejected } from './support/storage-failure.ts';
import { withTimeout } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

const MAX_POSTS = 200;

async function fillAndFree(
  { random, tally, sandbox, isShort }: ScenarioOptions,
  { name, folder, launchOptions, fill, free }: Disk,
): Promise<number> {
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const recorder = new WriteRecorder(random);
  const server = await sandbox.serve(settings, launchOptions);
  await postUntilRejected(recorder, server, 1);
  for (let time = 0; time < (isShort ? 1 : 3); time++) {
    fill(server.pid);
    const refusals = await postUntilRejected(recorder, server, MAX_POSTS);
    tally.expect(refusals.length > 0, `${name}: every post was stored`);
    for (const refusal of refusals)
      tally.expect(
        refusal?.code === 'storage_unavailable',
        `${name}: rejected with ${refusal?.code ?? 'no code'}`,
      );
    await expectWritesRejected(name, recorder, server, tally);
    free(server.pid);
    await expectRecovery(name, recorder, server, tally);
    tally.rounds += 1;
  }
  tally.expect((await server.end('SIGTERM')) === 0, `${name}: it did not stop cleanly`);
  const again = await sandbox.serve(settings);
  await recorder.audit(again.url, tally);
  fill(again.pid);
  await postUntilRejected(recorder, again, MAX_POSTS);
  await again.end('SIGKILL');
  free(again.pid);
  const third = await sandbox.serve(settings);
  await recorder.audit(third.url, tally);
  await third.end('SIGTERM');
  return recorder.acknowledged;
}

/** Expects a first start on a full disk to fail, and the next start to succeed once there is space. */
async function startFull({ tally, sandbox }: ScenarioOptions, { folder, fill, free }: Disk): Promise<void> {
  const other = `${folder}-of-another`;
  fill(0);
  await writeFile(`${folder}-rest`, Buffer.alloc(FREE_BYTES)).catch(() => undefined);
  const server = sandbox.launch({ DATA_DIR: other });
  const exit = await withTimeout(30, 'a start on a full disk', server.exited);
  tally.expect(exit === 1 && server.log.includes('ENOSPC'), `a start on a full disk ended with ${exit}`);
  tally.expect(!/^ {4}at /m.test(server.log), 'a start on a full disk printed a stack');
  free(0);
  rmSync(`${folder}-rest`);
  const again = await sandbox.serve({ DATA_DIR: other });
  await again.end('SIGTERM');
  tally.rounds += 1;
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const disks = [
    ...(missingRequirement('root') === undefined ? [await tinyDisk(options.sandbox)] : []),
    await limitedFiles(options.sandbox),
  ];
  if (disks.length > 1) await startFull(options, disks[0]!);
  let acknowledged = 0;
  for (const disk of disks) acknowledged += await fillAndFree(options, disk);
  return options.tally.outcome(
    `${disks.map(({ name }) => name).join(' and ')}; ${acknowledged} acknowledged`,
  );
}

export const diskFull: Scenario = {
  name: 'disk-full',
  description:
    'a full disk (tmpfs, as root) and a file size limit: 503, reads succeed, recovery once there is space, a restart',
  requirements: ['prlimit'],
  rounds: 7,
  maxSecondsPerRound: 30,
  run,
};
