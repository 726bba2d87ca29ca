import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { ExportedRecord } from '#store/port/records.ts';
import { encodeExport } from '#workspace/log/export-format.ts';
import { Load } from '../support/store/load.ts';
import { aPost } from '../support/store/records.ts';
import type { Scenario, ScenarioOptions } from './scenario.ts';
import { runOperator } from './support/operator.ts';
import type { SeededRandom } from './support/random.ts';
import { withTimeout } from './support/time.ts';

/** What looks at the sizes and owners of files. A name with a question mark is not one of every processor. */
const LOOKS = '?statx,?fstat';
/** System calls on the log and the lock. */
const CALLS = [
  LOOKS,
  'write',
  'pwrite64',
  'pread64',
  'fdatasync',
  'openat',
  '?link,linkat',
  '?unlink,unlinkat',
  '?rename,?renameat,renameat2',
  'utimensat',
] as const;
const ERRORS = ['write:error=ENOSPC', 'fdatasync:error=EIO', '?link,linkat:error=EIO'] as const;
/** Of a writer; an import has two. */
const PAUSES = 3;
/** A lock looks dead after 4.5 s. */
const [MIN_PAUSE_MS, MAX_PAUSE_MS] = [5000, 10_000];

const WRITERS = 3;
/** Of a writer, which takes some seconds for them: fewer posts than an import has records. */
const BATCHES = 30;
/** Before how many calls of each kind a writer may be paused. */
const WRITER_CALLS = 60;
/** An import looks at the log a dozen times, first as it opens, and makes most other calls once or twice. */
const [FIRST_LOOK, IMPORT_LOOKS, IMPORT_CALLS] = [6, 8, 2];
/** Records of all imports together, and how many of them each has: they fit into one write. */
const RECORDS = 600;
const IMPORTED = 400;
/** Within which a writer and an import end: their own pauses, and those of others that they wait for. */
const MAX_SECONDS = 120;

interface Round {
  readonly acknowledged: number;
  readonly imported: number;
  readonly isRepaired: boolean;
}

/** @returns a command that injects into the one behind it, at calls on some files of the folder */
const tracer = (folder: string, names: readonly string[], injections: readonly string[]): string[] => [
  // The traced process is the one that was started, so it can be killed.
  ...['strace', '-D', '-f', '--seccomp-bpf', '-qqq', '-o', '/dev/null'],
  ...names.flatMap((name) => ['-P', join(folder, name)]),
  ...['-e', `trace=${CALLS.join(',')}`],
  ...injections.flatMap((injection) => ['-e', `inject=${injection}`]),
];

/** @param number of the call, from 1 */
function pauseAt(random: SeededRandom, call: string, number: number): string {
  const ms = MIN_PAUSE_MS + random.below(MAX_PAUSE_MS - MIN_PAUSE_MS);
  return `${call}:delay_${random.below(2) === 0 ? 'enter' : 'exit'}=${ms}ms:when=${number}`;
}

function writerFaults(random: SeededRandom, fails: boolean): string[] {
  const calls = new Set(Array.from({ length: PAUSES }, () => CALLS[random.below(CALLS.length)] ?? LOOKS));
  const faults = [...calls].map((call) => pauseAt(random, call, 1 + random.below(WRITER_CALLS)));
  // The first link places the log: a process for which that fails does not start.
  if (fails) faults.push(`${ERRORS[random.below(ERRORS.length)]}:when=${2 + random.below(WRITER_CALLS)}`);
  return faults;
}

function importFaults(random: SeededRandom): string[] {
  const other = CALLS[1 + random.below(CALLS.length - 1)] ?? 'write';
  return [
    pauseAt(random, LOOKS, FIRST_LOOK + random.below(IMPORT_LOOKS)),
    pauseAt(random, other, 1 + random.below(IMPORT_CALLS)),
  ];
}

const sharedId = (number: number): string =>
  `post_cafe0000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** @returns a file with the records from a number on */
async function writeExport(path: string, from: number): Promise<string> {
  async function* history(): AsyncIterable<ExportedRecord> {
    for (let number = from; number < from + IMPORTED; number++) {
      const id = sharedId(number);
      const createdAt = `2026-01-01T00:00:00.${String(number).padStart(6, '0')}Z`;
      yield { kind: 'post', record: { ...aPost(`shared ${number}`, { id, rootId: id }), createdAt } };
    }
  }
  let lines = '';
  for await (const line of encodeExport(history())) lines += `${line}\n`;
  await writeFile(path, lines);
  return path;
}

async function playRound({ random, sandbox, tally }: ScenarioOptions, fails: boolean): Promise<Round> {
  const folder = await sandbox.createFolder();
  const files = await sandbox.createFolder();
  const after = (end: () => void): void => {
    sandbox.after(end);
  };
  const load = new Load(folder, after, () =>
    tracer(folder, ['log.jsonl', 'lock'], writerFaults(random, fails)),
  );
  await load.start(WRITERS, `batches ${BATCHES}`);
  const imports = [0, RECORDS - IMPORTED].map(async (from) => {
    const file = await writeExport(join(files, `${from}.jsonl`), from);
    const wrapper = tracer(folder, ['log.jsonl'], importFaults(random));
    return { file, ...(await runOperator(sandbox, ['import', file], { DATA_DIR: folder }, { wrapper })) };
  });
  const ends = load.children.map((child) => child.waitForLines((line) => line === 'done'));
  const [outcomes] = await withTimeout(MAX_SECONDS, 'a round', Promise.all([Promise.all(imports), ends]));
  await withTimeout(MAX_SECONDS, 'the posts of a round', Promise.all(ends));
  for (const child of load.children) tally.expect((await child.close()) === 0, 'a writer did not end');
  const settings = { DATA_DIR: folder };
  const isRepaired = (await runOperator(sandbox, ['repair'], settings)).output.includes('anew');
  const counts = outcomes.map(({ output }) => Number(/Imported (\d+)/.exec(output)?.[1] ?? 0));
  // An import that failed has printed no count of what it imported.
  const isWhole = outcomes.every(({ code }) => code === 0);
  const inFirst = counts.reduce((sum, count) => sum + count, 0);
  tally.expect(isWhole ? inFirst === RECORDS : inFirst <= RECORDS, `the imports counted ${inFirst} records`);
  for (const { file, code, output } of outcomes) {
    tally.expect(code === 0 || fails || /kept the lock/.test(output), `an import failed: ${output}`);
    const again = await runOperator(sandbox, ['import', file], settings);
    tally.expect(again.code === 0, `an import without a pause failed: ${again.output}`);
    if (code === 0) tally.expect(/Imported 0,/.test(again.output), `a second import: ${again.output}`);
  }
  await expectShared(folder, tally);
  const { acknowledged } = await load.audit();
  return { acknowledged, imported: inFirst, isRepaired };
}

/** Expects each imported record once. */
async function expectShared(folder: string, tally: ScenarioOptions['tally']): Promise<void> {
  const store = await openFolderStore({
    folder,
    clock: { now: () => Date.now() },
    report: () => undefined,
  });
  const page = await store.read.page('post', { order: 'oldest', limit: 1_000_000 });
  await store.close();
  const texts = page.map(({ record }) => record.message).filter((text) => text.startsWith('shared '));
  const missing = RECORDS - new Set(texts).size;
  tally.lost += missing;
  tally.expect(texts.length === RECORDS - missing, 'imported records stand twice');
}

export const folderPauses: Scenario = {
  name: 'folder-pauses',
  description:
    'three processes that post in batches beside two imports, each paused for 5 to 10 s at random system calls; ' +
    'in every third round calls fail too',
  requirements: ['strace'],
  rounds: 10,
  maxSecondsPerRound: 2 * MAX_SECONDS,
  run: async (options) => {
    const { rounds, tally, log } = options;
    let [acknowledged, imported, repaired] = [0, 0, 0];
    for (let round = 1; round <= rounds; round++) {
      const played = await playRound(options, round % 3 === 0);
      acknowledged += played.acknowledged;
      imported += played.imported;
      repaired += Number(played.isRepaired);
      tally.rounds = round;
      log(`round ${round}: ${JSON.stringify(played)}`);
    }
    return tally.outcome(
      `${acknowledged} posts acknowledged, ${imported} records imported while paused, ${repaired} folders repaired`,
    );
  },
};
