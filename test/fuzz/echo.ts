import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';

const RUN = 12;
const ROOT = join(import.meta.dirname, '../..');

function* runsOf(text: string): Generator<string> {
  for (let start = 0; start + RUN <= text.length; start++) yield text.slice(start, start + RUN);
}

function sourceTexts(): string[] {
  return ['src', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
}

/** Our own words may be in an answer and, by chance or copied, in what was asked too. */
let own: ReadonlySet<string> | undefined;

function ownWords(): ReadonlySet<string> {
  own ??= new Set(
    [...sourceTexts(), SUPPORTED_PROTOCOL_VERSIONS.join(', ')].flatMap((text) => [...runsOf(text)]),
  );
  return own;
}

/** @returns a run of characters that an error repeats from what was sent; undefined where it repeats nothing. */
export function echoOf(told: readonly string[], sent: readonly string[]): string | undefined {
  const said = new Set(told.flatMap((text) => [...runsOf(text)]).filter((run) => !ownWords().has(run)));
  if (said.size === 0) return undefined;
  for (const text of sent) {
    for (const run of runsOf(text)) if (said.has(run)) return run;
  }
  return undefined;
}
