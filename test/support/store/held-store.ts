import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PRELOADED = new URL('held-open.js', import.meta.url).href;

/** @returns variables of a process that cannot open a store, and lets it */
export function holdOpening(folder: string): {
  readonly settings: Readonly<Record<string, string>>;
  readonly release: () => void;
} {
  const file = join(folder, '.held');
  writeFileSync(file, '');
  return {
    settings: { NODE_OPTIONS: `--import ${PRELOADED}`, HELD_BY: file },
    release: () => {
      rmSync(file);
    },
  };
}
