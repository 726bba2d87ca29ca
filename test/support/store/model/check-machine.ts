import assert from 'node:assert/strict';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { LockHost } from '#store/folder/host.ts';
import { CorruptionError } from '#store/folder/fs/disk.ts';
import { repairFolder } from '#store/folder/failed-sync.ts';
import { StoreFailure, type Store } from '#store/port/store.ts';
import { addRecord, erase } from '../writes.ts';
import { START, type MachineModel } from './machine-model.ts';
import { FOLDER, ModelDisk } from './model-disk.ts';
import { idOf, postOf } from './model-records.ts';
import { assertErased, checkOutcomes, type Expectations, type Outcomes } from './outcomes.ts';
import { storeOptions } from './store-process.ts';

/** Numbers that no post of a run has. */
const LAST_POSTS = [9000, 9003] as const;
const HOUR_MS = 3_600_000;

export interface MachineExpectations extends Expectations {
  /** Whether something outside of the program has damaged what was stored: an opening names the byte. */
  readonly isDamaged: boolean;
}

/**
 * Opens the store on a machine without faults, on which no process runs any more, and checks what was
 * answered; that it takes posts, erases them and others, and leaves nothing behind.
 * @returns how often the folder had to be repaired
 */
export async function checkMachine(
  machine: MachineModel,
  outcomes: Outcomes,
  expectations: MachineExpectations,
): Promise<number> {
  try {
    return await check(machine, outcomes, expectations);
  } catch (error) {
    if (expectations.isDamaged && error instanceof CorruptionError) return 0;
    throw error;
  }
}

async function check(machine: MachineModel, outcomes: Outcomes, expectations: Expectations): Promise<number> {
  machine.processes.clear();
  const options = optionsWithoutFaults(machine);
  // The first sync may be told of a write-back that failed before: it marks the folder.
  let store = await openFolderStore(options).catch((error: unknown) => {
    if (!isMarked(error)) throw error;
    return openFolderStore(options);
  });
  const isFailed = !(await addLastPost(store, LAST_POSTS[0]));
  if (isFailed) {
    await store.close();
    await repairFolder(options);
    store = await openFolderStore(options);
    assert.ok(await addLastPost(store, LAST_POSTS[0]), 'the repaired folder takes no post');
  }
  // A process that was stopped while it wrote the same record may have brought its text back, in a dead line.
  if (!machine.hasMisled) assertErased(machine, outcomes.erased);
  // While a folder is marked, what was acknowledged behind the mark may be missing.
  await checkOutcomes(store, outcomes, expectations);
  await addLastPost(store, LAST_POSTS[1]);
  const after = outcomes.copy();
  const shown = [...after.stored].filter((id) => !after.erased.has(id)).slice(0, 2);
  for (const id of [idOf(LAST_POSTS[0]), ...shown]) {
    assert.equal(await erase(store, id, `the check erases ${id}`), true, `${id} cannot be erased`);
    after.erased.add(id);
  }
  // Of an erase whose outcome is unknown, the blank may be in memory alone, and nothing tells this process.
  if (!machine.hasMisled) assertErased(machine, after.erased);
  await store.close();
  const again = await openFolderStore(optionsWithoutFaults(machine));
  await checkOutcomes(again, after, expectations);
  await again.close();
  // Two starts of a server: whatever a crash has left is old once the clock of the folder believes a jump.
  for (let starts = 0; starts < 2; starts++) {
    const server = await openFolderStore({ ...optionsWithoutFaults(machine), isCommand: false });
    await server.close();
    machine.time += 25 * HOUR_MS;
  }
  const left = machine.pathsIn(FOLDER).filter((path) => /\/(?:lock|failed|\.tmp-)[^/]*$/.test(path));
  assert.deepEqual(left, []);
  return Number(isFailed);
}

/** @returns false if a failed sync has marked the lock */
async function addLastPost(store: Store, number: number): Promise<boolean> {
  try {
    await addRecord(store, 'post', postOf(number));
    return true;
  } catch (error) {
    if (isMarked(error)) return false;
    throw error;
  }
}

/** Whether a failed sync has marked the folder. */
const isMarked = (error: unknown): boolean =>
  error instanceof StoreFailure && error.message.includes('porchlight repair');

let runs = 0;

/** Of a process of its own. */
function optionsWithoutFaults(machine: MachineModel): ReturnType<typeof storeOptions> {
  const host: LockHost = {
    pid: 1000 + (runs += 1),
    run: `check-${runs}`,
    boot: `boot-${machine.boot}`,
    space: 'space-1',
    isAlive: () => false,
    now: () => machine.time - START,
    pause: async (ms) => {
      machine.time += ms;
    },
  };
  return storeOptions(machine, ModelDisk.withoutFaults(machine), host);
}
