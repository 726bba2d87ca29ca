import { Book } from './support/write-recorder.ts';
import { overRest } from './support/publish.ts';
import { areSame, snapshot } from './support/files.ts';
import { within } from './support/time.ts';
import type { Options, Outcome, TorturePromise } from './scenario.ts';

async function run({ chance, place, tally }: Options): Promise<Outcome> {
  const folder = await place.folder();
  const book = new Book(chance);
  const first = await place.serve({ DATA_DIR: folder });
  for (let n = 0; n < 5; n++) await book.send(overRest(first.url));
  const before = snapshot(folder);
  const { port } = new URL(first.url);
  const second = place.launch({ DATA_DIR: folder, PORT: port });
  const how = await within(30, 'a start on a port that is taken', second.exited);
  tally.expect(how === 1, `it ended with ${how}`);
  tally.expect(second.log.includes('EADDRINUSE') && second.log.includes(port), 'the message names no port');
  tally.expect(!/^ {4}at /m.test(second.log), 'it told a stack');
  tally.expect(areSame(before, snapshot(folder)), 'it touched the store');
  for (let n = 0; n < 5; n++) await book.send(overRest(first.url));
  tally.expect(book.acknowledged === 10, 'the first one was disturbed');
  await book.audit(first.url, tally);
  await first.end('SIGTERM');
  const third = await place.serve({ DATA_DIR: folder, PORT: port });
  await book.audit(third.url, tally);
  await third.end('SIGTERM');
  tally.rounds += 1;
  return tally.outcome('exit code 1 and one message');
}

export const portTaken: TorturePromise = {
  name: 'port-taken',
  does: 'a second server on the port and the folder of the first',
  rounds: 1,
  seconds: 60,
  run,
};
