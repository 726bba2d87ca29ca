import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../support/store/load.ts';
import { importBeside, killInTurn, stopAll, stopFirst } from '../support/store/rounds.ts';
import { IMPORTED_AT_ONCE } from '../support/store/writes.ts';
import type { Scenario, ScenarioOptions } from './scenario.ts';

const FOREVER = 1_000_000_000;
/** Of an import. */
const RECORDS = 100_000;
/** A lock looks dead after 4.5 s, and the machine may be busy otherwise. */
const MAX_WAIT_MS = 5500;
const ROUND_MS = 5000;

interface FolderScenario extends Omit<Scenario, 'run' | 'requirements'> {
  /** Runs processes on the folder of the load. @returns a remark */
  readonly play: (load: Load, options: ScenarioOptions) => Promise<string>;
}

/** Processes on one folder, whose answers are compared with what the folder holds in the end. */
const folderScenario = ({ play, ...scenario }: FolderScenario): Scenario => ({
  ...scenario,
  requirements: ['signals'],
  run: async (options) => {
    const { rounds, sandbox, tally } = options;
    const load = new Load(await sandbox.createFolder(), (end) => {
      sandbox.after(end);
    });
    const remark = await play(load, options);
    await load.killAll();
    const { acknowledged, refused } = await load.audit();
    tally.rounds = rounds;
    return tally.outcome(`${remark}; ${acknowledged} acknowledged, ${refused} refused, 0 lost, 0 twice`);
  },
});

export const folderKills = folderScenario({
  name: 'folder-kills',
  description: 'kill -9 of one of four processes that post, read and erase on one folder, at random moments',
  rounds: 50,
  maxSecondsPerRound: 10,
  play: async (load, { rounds, random, tally }) => {
    await load.start(4);
    await killInTurn(load, rounds, (bound) => random.below(bound));
    const longest = load.waits().at(-1) ?? 0;
    tally.expectFast(longest <= MAX_WAIT_MS, `a call took ${longest} ms`);
    return `longest call ${longest} ms`;
  },
});

export const folderStops = folderScenario({
  name: 'folder-stops',
  description: 'SIGSTOP of one of four processes on one folder for 6 to 10 s, or of all of them for 5 s',
  rounds: 10,
  maxSecondsPerRound: 30,
  play: async (load, { rounds, random, tally }) => {
    await load.start(4);
    const below = (bound: number): number => random.below(bound);
    let longest = 0;
    for (let round = 0; round < rounds; round++)
      longest = Math.max(longest, await stopFirst(load, 1, 6000 + below(4000), below));
    tally.expectFast(longest <= MAX_WAIT_MS, `a process waited for ${longest} ms`);
    await stopAll(load, Math.ceil(rounds / 4), 5000);
    return `longest call of the others ${longest} ms`;
  },
});

export const folderWithoutLock = folderScenario({
  name: 'folder-without-lock',
  description: 'two processes to which every lock looks dead beside one that heeds locks, 5 s a round',
  rounds: 6,
  maxSecondsPerRound: 20,
  play: async (load, { rounds }) => {
    await load.start(2, `write ${FOREVER}`, 'ignores-locks');
    await load.start(1);
    for (let round = 0; round < rounds; round++) {
      await sleep(ROUND_MS);
      await load.progress();
    }
    return `longest call ${load.waits().at(-1)} ms`;
  },
});

export const folderImport = folderScenario({
  name: 'folder-import',
  description: `an import of ${RECORDS} records beside three processes that post on one folder`,
  rounds: 1,
  maxSecondsPerRound: 300,
  play: async (load, { tally, isShort }) => {
    const records = isShort ? 40 * IMPORTED_AT_ONCE : RECORDS;
    const waits = await importBeside(load, records);
    const [longest = 0, hundredth = 0] = [waits.at(-1), waits.at(-Math.ceil(waits.length / 100))];
    // How long a post waits is a matter of the machine: a batch of the import is what it may wait for.
    const batches = records / IMPORTED_AT_ONCE;
    tally.expect(waits.length >= batches, `${waits.length} posts beside ${batches} batches of an import`);
    return `${waits.length} calls meanwhile, 99 of 100 within ${hundredth} ms, longest ${longest} ms`;
  },
});

export const folderShares = folderScenario({
  name: 'folder-shares',
  description: 'four processes with one writer each on one folder, 5 s a round: each gets its share',
  rounds: 2,
  maxSecondsPerRound: 20,
  play: async (load, { rounds, tally }) => {
    await load.start(4, `post ${FOREVER}`);
    await load.progress();
    const from = load.children.map(({ lines }) => lines.length);
    await sleep(rounds * ROUND_MS);
    const counts = load.children.map((child, index) => load.waits([child], [from[index] ?? 0]).length);
    const longest = load.waits(load.children, from).at(-1) ?? 0;
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    tally.expectFast(Math.min(...counts) >= mean / 2, `the processes had ${counts.join(', ')} answers`);
    tally.expectFast(longest <= 1000, `a call took ${longest} ms`);
    return `${counts.join(', ')} answers, longest call ${longest} ms`;
  },
});

export const folderSlowSyncs = folderScenario({
  name: 'folder-slow-syncs',
  description: 'three processes on one folder of a disk whose syncs take 8 s, longer than a lock lives',
  rounds: 1,
  maxSecondsPerRound: 300,
  play: async (load, { isShort }) => {
    await load.start(3, `post ${isShort ? 1 : 2}`, `sync=${isShort ? 5000 : 8000}`);
    await Promise.all(load.children.map((child) => child.waitForLines((line) => line === 'done')));
    return `longest call ${load.waits().at(-1)} ms`;
  },
});
