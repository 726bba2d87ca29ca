import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes the next opening of a data folder wait: the first file of the folder `rows` becomes a FIFO, and reading one waits for
 * a writer.
 * @returns lets the opening go on
 */
export function holdOpening(folder: string): () => void {
  const rows = join(folder, 'rows');
  mkdirSync(rows, { recursive: true, mode: 0o700 });
  const fifo = join(rows, '000001-0000000001.rows');
  execFileSync('mkfifo', [fifo]);
  return () => {
    // For reading too, so that it does not wait itself.
    const writer = openSync(fifo, 'r+');
    unlinkSync(fifo);
    closeSync(writer);
  };
}
