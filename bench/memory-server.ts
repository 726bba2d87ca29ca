import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import type { BenchContext, Program } from './bench-context.ts';

const require = createRequire(new URL('peers/package.json', import.meta.url));

const SENTENCE =
  'What I produced: a list of the opening hours of the town libraries, with the source and the date of ' +
  'each. ';
const NOTE = SENTENCE.repeat(2);

/** The MCP reference server `server-memory` over stdio, with a graph of notes. @param notes their number */
export function memoryServer(context: BenchContext, notes: number): Program {
  const path = context.path('graph.jsonl');
  const entity = (n: number): object => ({
    type: 'entity',
    name: `note_${n}`,
    entityType: 'note',
    observations: [NOTE],
  });
  writeFileSync(path, Array.from({ length: notes }, (_, n) => JSON.stringify(entity(n))).join('\n'));
  return {
    args: [require.resolve('@modelcontextprotocol/server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: path },
  };
}
