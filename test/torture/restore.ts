import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRestoreLines } from '../support/compose.ts';
import { LAUNCHER } from '../support/product.ts';
import { backUp, createPlace, type Place } from './support/place.ts';
import { overRest } from './support/publish.ts';
import { WriteRecorder } from './support/write-recorder.ts';
import type { Outcome, Scenario, ScenarioOptions } from './scenario.ts';

const POSTS = 30;
const MAX_REFUSAL_SECONDS = 10;

/** Ports that nothing else of these tests uses. */
const PORTS = { port: 18_788, caddyPort: 18_444 };

/** Behind Caddy, which this test goes without. */
const URL_INSIDE = `http://127.0.0.1:${PORTS.port}`;

const UNLIMITED = { FEED_POSTS_PER_HOUR: '0', WRITES_PER_MINUTE_TOTAL: '0' };

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

/**
 * A folder of programs: `docker`, for the two commands of the documented lines, and `porchlight` in the container.
 * @returns its path
 */
async function createDocker({ sandbox }: ScenarioOptions, place: Place): Promise<string> {
  const folder = await sandbox.createFolder();
  const program = (name: string, lines: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\nset -e\n${lines}\n`, { mode: 0o755 });
  };
  const settings = Object.entries(place.settings).map(([name, value]) => `${name}=${value}`);
  program('porchlight', `exec ${quoted([process.execPath, LAUNCHER])} "$@"`);
  program(
    'docker',
    `case "$*" in
      "compose exec -T porchlight "*) shift 4; exec ${quoted([...place.container, 'env', ...settings])} "$@" ;;
      "compose cp backup:/backups "*) exec cp --recursive ${quoted([place.backups])} "$4" ;;
      *) echo "not a documented line: $*" >&2; exit 64 ;;
    esac`,
  );
  return folder;
}

interface LineOutcome {
  readonly status: number | null;
  readonly output: string;
}

/** Runs a line of the documents in a folder. */
function runLine(line: string, folder: string, programs: string): LineOutcome {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: folder,
    env: { PATH: `${programs}:${process.env['PATH'] ?? ''}` },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, output: `${stdout}${stderr}`.trim() };
}

async function run(options: ScenarioOptions): Promise<Outcome> {
  const { sandbox, tally, random, rounds } = options;
  const [copyLine = '', restoreLine = ''] = readRestoreLines();
  let acknowledged = 0;
  for (; tally.rounds < rounds; tally.rounds++) {
    const lost = await createPlace(sandbox, PORTS);
    const server = await sandbox.serve({ ...lost.settings, ...UNLIMITED }, { wrapper: lost.container });
    const recorder = new WriteRecorder(random);
    for (let n = 0; n < POSTS; n++) await recorder.send(overRest(URL_INSIDE));
    backUp(lost);
    const folder = await sandbox.createFolder();
    const copied = runLine(copyLine, folder, await createDocker(options, lost));
    tally.expect(copied.status === 0, `the copy of the backups: ${copied.output}`);
    await server.end('SIGKILL');

    const place = await createPlace(sandbox, PORTS);
    const restored = await sandbox.serve({ ...place.settings, ...UNLIMITED }, { wrapper: place.container });
    const programs = await createDocker(options, place);
    const inside = (command: string): LineOutcome =>
      runLine(`docker compose exec -T porchlight ${command}`, folder, programs);
    // A file of that name that is there would be refused for its owner.
    const { output: refusal } = inside(`touch /tmp/read-only-${process.pid}`);
    tally.expect(refusal.includes('Read-only file system'), `the temporary folder: ${refusal}`);
    const before = readdirSync(place.data).join();
    for (const input of ['/dev/zero', '- < /dev/zero']) {
      const from = performance.now();
      const { status, output } = inside(`porchlight import ${input}`);
      tally.expect(status === 1 && output.startsWith('Line 1 is longer'), `import ${input}: ${output}`);
      tally.expect(performance.now() - from < MAX_REFUSAL_SECONDS * 1000, `import ${input} took long`);
    }
    tally.expect(readdirSync(place.data).join() === before, 'an import that was refused left a file');

    const { status, output } = runLine(restoreLine, folder, programs);
    tally.expect(status === 0, `the restore: ${output}`);
    await recorder.audit(URL_INSIDE, tally);
    // The database of compose.cluster.yaml; the copy of the input still goes to the data folder.
    const database = 'env DATABASE_URL=postgres://nobody@127.0.0.1:1/none porchlight import -';
    const refused = runLine(restoreLine.replace('porchlight import -', database), folder, programs);
    tally.expect(/database/.test(refused.output), `the restore into a database: ${refused.output}`);
    tally.expect((await restored.end('SIGTERM')) === 0, 'the server did not stop cleanly');
    acknowledged += recorder.acknowledged;
  }
  return tally.outcome(`${acknowledged} posts restored by the documented lines, unchanged`);
}

export const restore: Scenario = {
  name: 'restore',
  description:
    'the documented backup and restore of compose.yaml, with its user and read-only file system (root)',
  requirements: ['root', 'signals', 'procfs'],
  rounds: 2,
  maxSecondsPerRound: 60,
  run,
};
