import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { newId } from '../../support/store/records.ts';
import { addRecord } from '../../support/store/writes.ts';
import type { Sandbox } from './sandbox.ts';
import { withTimeout } from './time.ts';

const THIS_FILE = fileURLToPath(import.meta.url);
const REPORT_MS = 10;

/** Processes that have a folder open and write guest book notes without a pause. */
export class StoreWriters {
  readonly #children: readonly ChildProcess[];
  readonly #acknowledged = new Map<ChildProcess, number>();

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
    for (const child of children)
      child.on('message', (count: number) => {
        this.#acknowledged.set(child, count);
      });
  }

  /** Resolves once each of them has written something. */
  static async start(sandbox: Sandbox, folder: string, count: number): Promise<StoreWriters> {
    const children = Array.from({ length: count }, () => {
      const child = fork(THIS_FILE, [folder], { execArgv: ['--import', 'tsx'] });
      sandbox.defer(() => child.kill('SIGKILL'));
      return child;
    });
    const writers = new StoreWriters(children);
    const first = children.map((child) => once(child, 'message'));
    await withTimeout(60, 'the first writes', Promise.all(first));
    return writers;
  }

  /** Of all of them, as of some 10 ms ago. */
  get acknowledged(): number {
    return [...this.#acknowledged.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when all have closed the store. */
  async stop(): Promise<void> {
    const closed = this.#children.map((child) => once(child, 'close'));
    for (const child of this.#children) child.send('enough');
    await withTimeout(60, 'the exit of the writers', Promise.all(closed));
  }
}

async function writeRepeatedly(folder: string): Promise<void> {
  let [written, isStopped] = [0, false];
  process
    .once('message', () => {
      isStopped = true;
    })
    .once('disconnect', () => process.exit());
  const store = await openFolderStore({
    folder,
    clock: { now: () => Date.now() },
    report: (message) => {
      console.error(message);
    },
  });
  const reports = setInterval(() => process.send?.(written), REPORT_MS);
  while (!isStopped) {
    await addRecord(store, 'guest', { id: newId('guest'), name: 'a writer', kind: null, note: 'a note' });
    written += 1;
    // Signals and messages come in between.
    await sleep(0);
  }
  clearInterval(reports);
  await store.close();
  process.send?.(written);
  process.disconnect();
}

if (process.argv[1] === THIS_FILE) await writeRepeatedly(process.argv[2]!);
