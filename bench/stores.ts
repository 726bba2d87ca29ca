import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SEED_SCRIPT = join(import.meta.dirname, 'children', 'seeding.ts');

/** Stores of several sizes, each seeded once per run. */
export class SeededStores {
  readonly #folder = mkdtempSync(join(tmpdir(), 'porchlight-stores-'));
  readonly #filled = new Set<number>();

  /** The folder with `count` posts, which may be copied but not written to. */
  folderWith(count: number): string {
    const folder = join(this.#folder, String(count));
    if (!this.#filled.has(count))
      execFileSync(process.execPath, [...process.execArgv, SEED_SCRIPT, folder, String(count)], {
        stdio: 'inherit',
      });
    this.#filled.add(count);
    return folder;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
