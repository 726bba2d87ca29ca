import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SEEDING = join(import.meta.dirname, 'children', 'seeding.ts');

/** Stores of every size, filled once in a run. */
export class Stores {
  readonly #folder = mkdtempSync(join(tmpdir(), 'porchlight-stores-'));
  readonly #filled = new Set<number>();

  /** @returns a folder with so many posts, to be copied and not written to */
  filled(count: number): string {
    const folder = join(this.#folder, String(count));
    if (!this.#filled.has(count))
      execFileSync(process.execPath, [...process.execArgv, SEEDING, folder, String(count)], {
        stdio: 'inherit',
      });
    this.#filled.add(count);
    return folder;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
