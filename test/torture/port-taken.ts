import { WriteRecorder } from './support/write-recorder.ts';
import { overRest } from './support/publish.ts';
import { areSame, snapshot, untilUnlocked } from './support/files.ts';
import { withTimeout } from './support/time.ts';
import type { ScenarioOptions, Outcome, Scenario } from './scenario.ts';

/** @returns all files but what the servers write of their state every ten seconds */
const filesOf = (folder: string): Map<string, Buffer> =>
  new Map([...snapshot(folder)].filter(([name]) => !name.startsWith('private/server-')));

async function run({ random, sandbox, tally }: ScenarioOptions): Promise<Outcome> {
  const folder = await sandbox.createFolder();
  const recorder = new WriteRecorder(random);
  const first = await sandbox.serve({ DATA_DIR: folder });
  for (let n = 0; n < 5; n++) await recorder.send(overRest(first.url));
  await untilUnlocked(folder);
  const before = filesOf(folder);
  const { port } = new URL(first.url);
  const second = sandbox.launch({ DATA_DIR: folder, PORT: port });
  const exit = await withTimeout(30, 'a start on a port that is taken', second.exited);
  tally.expect(exit === 1, `the exit was ${exit}`);
  tally.expect(second.log.includes('EADDRINUSE') && second.log.includes(port), 'the message names no port');
  tally.expect(!/^ {4}at /m.test(second.log), 'it printed a stack');
  tally.expect(areSame(before, filesOf(folder)), 'it changed the store');
  for (let n = 0; n < 5; n++) await recorder.send(overRest(first.url));
  tally.expect(recorder.acknowledged === 10, 'the first server did not store every post');
  await recorder.audit(first.url, tally);
  await first.end('SIGTERM');
  const third = await sandbox.serve({ DATA_DIR: folder, PORT: port });
  await recorder.audit(third.url, tally);
  await third.end('SIGTERM');
  tally.rounds += 1;
  return tally.outcome('exit code 1 and one message');
}

export const portTaken: Scenario = {
  name: 'port-taken',
  description: 'a second server on the port and the folder of the first',
  rounds: 1,
  maxSecondsPerRound: 60,
  run,
};
