import assert from 'node:assert/strict';
import { ERAS, INITIALIZED, message, opening, type Era } from '../mcp-messages.ts';
import { porchlight, type Lab, type Program } from '../bench-context.ts';
import { memoryServer } from '../memory-server.ts';
import { count, type Bench } from '../row.ts';

const MOST = 16 * 1024;

/** What a client is told of the tools before it can call one. */
export const lists: Bench = {
  name: 'lists',
  run: async (lab) => {
    const folder = lab.store(1000);
    const theirs = await listOf(lab, memoryServer(lab, 1), '2025');
    const rows = [
      {
        path: `tools/list of server-memory, ${theirs.tools} tools`,
        goal: '',
        measured: `${count(theirs.bytes)} bytes`,
      },
    ];
    for (const era of ERAS) {
      const { bytes, tools } = await listOf(lab, porchlight('stdio', folder), era);
      rows.push({
        path: `tools/list, ${era}, ${tools} tools`,
        goal: '<= 16 KB',
        met: bytes <= MOST,
        measured: `${count(bytes)} bytes`,
      } as (typeof rows)[0]);
    }
    return rows;
  },
};

async function listOf(lab: Lab, program: Program, era: Era): Promise<{ bytes: number; tools: number }> {
  const speaker = lab.speak(program);
  await speaker.ask(`${opening(era)}\n`);
  if (era === '2025') speaker.tell(`${INITIALIZED}\n`);
  const line = await speaker.ask(`${message(era, 'tools/list')}\n`);
  const { result } = JSON.parse(line.toString()) as { result: { tools: unknown[]; nextCursor?: string } };
  assert.equal(result.nextCursor, undefined);
  return { bytes: line.length, tools: result.tools.length };
}
