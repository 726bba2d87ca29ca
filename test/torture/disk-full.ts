import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Book } from './support/write-recorder.ts';
import { limitedFiles, ROOM, tinyDisk, type Disk } from './support/disks.ts';
import { missing } from './support/requirements.ts';
import { expectRecovery, expectTrouble, postUntilRefused } from './support/storage-failure.ts';
import { within } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const MORE_THAN_FITS = 200;

async function fillAndFree(
  { chance, tally, place }: Options,
  { name, folder, way, fill, free }: Disk,
): Promise<number> {
  const settings = { DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const book = new Book(chance);
  const server = await place.serve(settings, way);
  await postUntilRefused(book, server, 1);
  for (let time = 0; time < 3; time++) {
    fill(server.pid);
    const refusals = await postUntilRefused(book, server, MORE_THAN_FITS);
    tally.expect(refusals.length > 0, `${name}: there was room for all`);
    for (const refusal of refusals)
      tally.expect(
        refusal?.code === 'storage_unavailable',
        `${name}: refused with ${refusal?.code ?? 'nothing'}`,
      );
    await expectTrouble(name, book, server, tally);
    free(server.pid);
    await expectRecovery(name, book, server, tally);
    tally.rounds += 1;
  }
  tally.expect((await server.end('SIGTERM')) === 0, `${name}: it did not stop cleanly`);
  const again = await place.serve(settings);
  await book.audit(again.url, tally);
  fill(again.pid);
  await postUntilRefused(book, again, MORE_THAN_FITS);
  await again.end('SIGKILL');
  free(again.pid);
  const third = await place.serve(settings);
  await book.audit(third.url, tally);
  await third.end('SIGTERM');
  return book.acknowledged;
}

/** A first start without room leaves nothing that stands in the way of the next. */
async function startFull({ tally, place }: Options, { folder, fill, free }: Disk): Promise<void> {
  const other = `${folder}-of-another`;
  fill(0);
  await writeFile(`${folder}-rest`, Buffer.alloc(ROOM)).catch(() => undefined);
  const server = place.launch({ DATA_DIR: other });
  const how = await within(30, 'a start on a full disk', server.exited);
  tally.expect(how === 1 && server.log.includes('ENOSPC'), `a start on a full disk ended with ${how}`);
  tally.expect(!/^ {4}at /m.test(server.log), 'a start on a full disk told a stack');
  free(0);
  rmSync(`${folder}-rest`);
  const again = await place.serve({ DATA_DIR: other });
  await again.end('SIGTERM');
  tally.rounds += 1;
}

async function run(options: Options): Promise<Outcome> {
  const disks = [
    ...(missing('root') === undefined ? [await tinyDisk(options.place)] : []),
    await limitedFiles(options.place),
  ];
  if (disks.length > 1) await startFull(options, disks[0]!);
  let acknowledged = 0;
  for (const disk of disks) acknowledged += await fillAndFree(options, disk);
  return options.tally.outcome(
    `${disks.map(({ name }) => name).join(' and ')}; ${acknowledged} acknowledged`,
  );
}

export const diskFull: TorturePromise = {
  name: 'disk-full',
  does: 'a full disk (tmpfs, as root) and a file size limit: 503, reads go on, room again, a restart',
  needs: ['prlimit'],
  rounds: 7,
  seconds: 30,
  run,
};
