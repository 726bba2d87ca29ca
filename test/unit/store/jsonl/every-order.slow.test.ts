import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { anOrigin } from '../../../support/store/records.ts';
import { runEverySchedule, type Schedule } from '../../../support/store/schedule.ts';
import {
  descriptorsOf,
  Machine,
  post,
  postWithUnknownOutcome,
  visibleTexts,
  type Process,
} from '../../../support/store/machine.ts';

interface Acknowledged {
  text: string;
  stamp: string;
}

/** The writes of one process. `acknowledge` posts a text, and checks that the process then reads it. */
type Program = (
  process: Process,
  name: string,
  acknowledge: (text: string) => Promise<void>,
) => Promise<unknown>;

async function play(
  t: TestContext,
  turns: Schedule,
  programs: Program[],
  switches: number,
  prepare?: (all: Process[]) => Promise<void>,
): Promise<void> {
  const machine = new Machine(t);
  const processes: Process[] = [];
  for (const _ of programs) processes.push(await machine.start());
  await post(processes[0]!, 'known', anOrigin('w'));
  for (const process of processes) await visibleTexts(process);
  await prepare?.(processes);
  const acknowledged: Acknowledged[] = [];
  const running = programs.map((program, index) => {
    const process = processes[index]!;
    process.disk.beforeCall = turns.gateFor(index);
    return program(process, 'abc'.charAt(index), async (text) => {
      const { record } = await post(process, text, anOrigin('v'));
      acknowledged.push({ text, stamp: record.createdAt });
      assert.ok((await visibleTexts(process)).includes(text));
    });
  });
  await turns.run(running, switches);
  await Promise.all(running);
  for (const { disk } of processes) disk.beforeCall = undefined;
  const third = await machine.start();
  const page = await third.store.read.page('post', { order: 'oldest', limit: 99 });
  const fresh = page.map(({ record }) => record).filter(({ message }) => !message.includes('known'));
  assert.deepEqual(
    fresh.map(({ message, createdAt }) => ({ text: message, stamp: createdAt })),
    acknowledged.toSorted((one, other) => (one.stamp < other.stamp ? -1 : 1)),
  );
  const texts = page.map(({ record }) => record.message);
  assert.equal((await third.store.read.recentWriteAges('v', 'feed', 1000, 99)).length, acknowledged.length);
  for (const process of [...processes, third]) {
    assert.deepEqual(await visibleTexts(process), texts);
    assert.equal(process.disk.openFiles, descriptorsOf(machine));
  }
  await machine.stop();
}

const writes =
  (count: number): Program =>
  async (_process, name, acknowledge) => {
    for (let number = 0; number < count; number++) await acknowledge(name + String(number));
  };

const atOnce =
  (count: number): Program =>
  (_process, name, acknowledge) =>
    Promise.all(Array.from({ length: count }, (_, number) => acknowledge(name + String(number))));

const SCENES: Record<
  string,
  { programs: Program[]; switches: number; prepare?: (all: Process[]) => Promise<void> }
> = {
  'two processes that write twice': { programs: [writes(2), writes(2)], switches: 3 },
  'a process with three concurrent writes, and one that writes twice': {
    programs: [atOnce(3), writes(2)],
    switches: 3,
  },
  'three processes that write once': { programs: [writes(1), writes(1), writes(1)], switches: 1 },
  'a process whose sync fails while another writes once': {
    programs: [writes(1), writes(1)],
    switches: 2,
    prepare: async ([a]) => {
      a!.disk.failNext('sync', 'EIO', /^log-000001/);
    },
  },
  'two processes whose syncs fail at the same time': {
    programs: [writes(1), writes(1)],
    switches: 1,
    prepare: async (all) => {
      for (const { disk } of all) disk.failNext('sync', 'EIO', /^log-000001/);
    },
  },
  'a process that begins a segment after a write of unknown outcome while another writes twice': {
    programs: [writes(1), writes(2)],
    switches: 1,
    prepare: async ([a]) => postWithUnknownOutcome(a!, 'known too'),
  },
  'two processes that begin a segment at the same time': {
    programs: [writes(1), writes(1)],
    switches: 1,
    prepare: async ([a, b]) => {
      await postWithUnknownOutcome(a!, 'known to a');
      await visibleTexts(b!);
      await postWithUnknownOutcome(b!, 'known to b');
    },
  },
};

for (const [scene, { programs, switches, prepare }] of Object.entries(SCENES)) {
  test(`${scene}: every interleaving of system calls stores each write once and in order`, async (t) => {
    const orders = await runEverySchedule((turns) => play(t, turns, programs, switches, prepare));
    t.diagnostic(`${orders} orders`);
    assert.ok(orders > 20);
  });
}
