import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { MCP_ACCEPT } from './headers.ts';

/** One more than the escapes of a path that an error names. */
const RUN_LENGTH = 13;
const ROOT = join(import.meta.dirname, '../..');

function* runsOf(text: string): Generator<string> {
  for (let start = 0; start + RUN_LENGTH <= text.length; start++) yield text.slice(start, start + RUN_LENGTH);
}

function sourceTexts(): string[] {
  return ['src', 'tools'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
}

/** Runs of the source code, which may be in an error and, by chance or copied, in the request too. */
let ownRunsCache: ReadonlySet<string> | undefined;

function ownRuns(): ReadonlySet<string> {
  ownRunsCache ??= new Set(
    [...sourceTexts(), SUPPORTED_PROTOCOL_VERSIONS.join(', '), `${MCP_ACCEPT[1]}; streams`].flatMap(
      (text) => [...runsOf(text)],
    ),
  );
  return ownRunsCache;
}

/** @returns RUN_LENGTH characters that an error repeats from the request; undefined if it repeats none */
export function findEcho(messages: readonly string[], sent: readonly string[]): string | undefined {
  const runs = new Set(messages.flatMap((text) => [...runsOf(text)]).filter((run) => !ownRuns().has(run)));
  if (runs.size === 0) return undefined;
  for (const text of sent) {
    for (const run of runsOf(text)) if (runs.has(run)) return run;
  }
  return undefined;
}
