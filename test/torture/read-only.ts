import { spawnSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Book } from './support/write-recorder.ts';
import { overRest } from './support/publish.ts';
import { areSame, logOf, snapshot } from './support/files.ts';
import { command } from './support/sandbox.ts';
import { expectRecovery, expectTrouble } from './support/storage-failure.ts';
import { within } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

const settingsOf = (folder: string) => ({ DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' });

async function fill(book: Book, url: string): Promise<void> {
  for (let n = 0; n < 20; n++) await book.send(overRest(url));
}

/** The system refuses writes to a log that is open already, as it does where an operator made it immutable. */
async function immutable({ place, chance, tally }: Options): Promise<boolean> {
  const [folder, book] = [await place.folder(), new Book(chance)];
  const server = await place.serve(settingsOf(folder));
  await fill(book, server.url);
  const log = logOf(folder);
  place.defer(() => spawnSync('chattr', ['-i', log]));
  if (spawnSync('chattr', ['+i', log]).status !== 0) return false;
  await expectTrouble('immutable', book, server, tally);
  command('chattr', '-i', log);
  await expectRecovery('immutable', book, server, tally);
  await server.end('SIGTERM');
  tally.rounds += 1;
  return true;
}

/** A start on a disk that is read-only: one clear message, and all is there once it is writable. */
async function remounted({ place, chance, tally }: Options): Promise<boolean> {
  const [root, book] = [
    await place.mounted('-t', 'tmpfs', '-o', 'size=4m', 'porchlight-torture'),
    new Book(chance),
  ];
  const folder = join(root, 'data');
  const server = await place.serve(settingsOf(folder));
  await fill(book, server.url);
  await server.end('SIGTERM');
  const before = snapshot(folder);
  command('mount', '-o', 'remount,ro', root);
  const refused = place.launch(settingsOf(folder));
  const how = await within(30, 'a start on a read-only disk', refused.exited);
  tally.expect(how === 1 && refused.log.includes('EROFS'), `read-only: the start ended with ${how}`);
  tally.expect(refused.log.includes(folder) && !/^ {4}at /m.test(refused.log), 'read-only: no clear message');
  command('mount', '-o', 'remount,rw', root);
  tally.expect(areSame(before, snapshot(folder)), 'read-only: a file was touched');
  const again = await place.serve(settingsOf(folder));
  await expectRecovery('read-only', book, again, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
  return true;
}

/** What the kernel does where it meets an error: the file system becomes read-only under the open log, for good. */
async function emergency({ place, chance, tally }: Options): Promise<boolean> {
  const [image, book] = [join(await place.folder(), 'image'), new Book(chance)];
  writeFileSync(image, '');
  truncateSync(image, 16 * 1024 * 1024);
  if (spawnSync('mkfs.ext4', ['-q', '-F', image]).status !== 0) return false;
  const root = await place.mounted('-o', 'loop,errors=remount-ro', image).catch(() => undefined);
  if (root === undefined) return false;
  const folder = join(root, 'data');
  const server = await place.serve(settingsOf(folder));
  await fill(book, server.url);
  const device = basename(command('findmnt', '-no', 'SOURCE', root).trim());
  writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, 'a test');
  await expectTrouble('emergency', book, server, tally);
  await server.end('SIGTERM');
  command('umount', root);
  spawnSync('e2fsck', ['-fy', image]);
  command('mount', '-o', 'loop', image, root);
  const again = await place.serve(settingsOf(folder));
  await expectRecovery('emergency', book, again, tally);
  await again.end('SIGTERM');
  tally.rounds += 1;
  return true;
}

async function run(options: Options): Promise<Outcome> {
  const ways: readonly (readonly [name: string, way: (options: Options) => Promise<boolean>])[] = [
    ['log made immutable', immutable],
    ['start on a read-only disk', remounted],
    ['file system gone read-only after an error', emergency],
  ];
  const told: string[] = [];
  for (const [name, way] of ways) told.push((await way(options)) ? name : `NOT TRIED: ${name}`);
  return options.tally.outcome(told.join('; '));
}

export const readOnly: TorturePromise = {
  name: 'read-only',
  does: 'the disk becomes read-only under a running server, and before a start (root)',
  needs: ['root'],
  rounds: 3,
  seconds: 60,
  run,
};
