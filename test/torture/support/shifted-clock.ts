import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from './sandbox.ts';

const PRELOAD = new URL('shifted-date.js', import.meta.url).href;

/** A wrong clock, for the processes that are started with its settings. */
export class ShiftedClock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /** @param minutes ahead of the clock of this machine; negative for behind */
  static async create(sandbox: Sandbox, minutes: number): Promise<ShiftedClock> {
    const clock = new ShiftedClock(join(await sandbox.createFolder(), 'clock'));
    clock.set(minutes);
    return clock;
  }

  get settings(): { readonly NODE_OPTIONS: string; readonly SHIFTED_CLOCK: string } {
    return { NODE_OPTIONS: `--import=${PRELOAD}`, SHIFTED_CLOCK: this.#file };
  }

  /** Takes effect at once, in running processes too. */
  set(minutes: number): void {
    // By a rename, since a process may be reading.
    writeFileSync(`${this.#file}.new`, String(minutes));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
