import { Book } from './support/write-recorder.ts';
import { overMcp, overRest } from './support/publish.ts';
import { logOf } from './support/files.ts';
import { inject, ONE_THREAD } from './support/strace.ts';
import { expectRecovery, expectTrouble } from './support/storage-failure.ts';
import type { Server } from './support/server.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

/** What the disk says, and what a post that meets it is answered. */
const ONCE: readonly (readonly [fault: string, where: 'log' | 'any', code: string])[] = [
  ['fdatasync:error=EIO:when=1', 'log', 'storage_outcome_unknown'],
  ['write:error=EIO:when=1', 'log', 'storage_unavailable'],
  ['write:error=ENOSPC:when=1', 'log', 'storage_unavailable'],
  ['fdatasync:error=EIO:when=1', 'log', 'storage_outcome_unknown'],
];

/** It does not take anything for a while. */
const LASTING: readonly (readonly string[])[] = [
  ['write:error=EIO'],
  ['write:error=EROFS', 'fdatasync:error=EROFS'],
];

/** A post meets the fault and is told so; sent again with its key it is stored once. */
async function once(
  { place, tally }: Options,
  book: Book,
  server: Server,
  folder: string,
  [fault, , code]: (typeof ONCE)[number],
): Promise<void> {
  const detach = await inject(place, server.pid, [fault], [logOf(folder)]);
  const [text, key] = [book.newText(), `eio-${tally.rounds}-key`];
  const reply = await book.send(overRest(server.url), text, key);
  tally.expect(reply?.code === code, `${fault}: a post was answered ${reply?.code ?? 'with success'}`);
  tally.expect(reply === undefined || reply.retryAfter! > 0, `${fault}: no Retry-After`);
  const again = await book.send(overMcp(server.url), text, key);
  tally.expect(again?.post !== undefined, `${fault}: the retry was ${again?.code ?? 'not answered'}`);
  await detach();
  await expectRecovery(fault, book, server, tally);
  tally.rounds += 1;
}

/** Every sync fails: nobody knows of the first, and nothing may be built on it. */
async function noSync({ place, tally }: Options, book: Book, server: Server): Promise<void> {
  const detach = await inject(place, server.pid, ['fdatasync:error=EIO', 'fsync:error=EIO']);
  const first = await book.send(overRest(server.url));
  tally.expect(
    first?.code === 'storage_outcome_unknown',
    `no sync: a post was answered ${first?.code ?? 'with success'}`,
  );
  await expectTrouble('no sync', book, server, tally);
  await detach();
  await expectRecovery('no sync', book, server, tally);
  tally.rounds += 1;
}

async function run(options: Options): Promise<Outcome> {
  const { place, chance, tally } = options;
  const folder = await place.folder();
  const settings = { ...ONE_THREAD, DATA_DIR: folder, FEED_POSTS_PER_HOUR: '0' };
  const book = new Book(chance);
  const server = await place.serve(settings);
  for (let n = 0; n < 20; n++) await book.send(overRest(server.url));
  for (const fault of ONCE) await once(options, book, server, folder, fault);
  for (const faults of LASTING) {
    const what = faults.join(' ');
    const detach = await inject(place, server.pid, faults, [logOf(folder)]);
    await expectTrouble(what, book, server, tally);
    await detach();
    await expectRecovery(what, book, server, tally);
    tally.rounds += 1;
  }
  await noSync(options, book, server);
  tally.expect((await server.end('SIGTERM')) === 0, 'it did not stop cleanly');
  const again = await place.serve(settings);
  await book.audit(again.url, tally);
  await again.end('SIGTERM');
  return tally.outcome(
    `EIO, ENOSPC and EROFS of write and sync, once and lasting; ${book.acknowledged} acknowledged`,
  );
}

export const eio: TorturePromise = {
  name: 'eio',
  does: 'writes and syncs that fail once, or for a while, under a running server (strace)',
  needs: ['strace', 'attaching'],
  rounds: 7,
  seconds: 30,
  run,
};
