import assert from 'node:assert/strict';
import { REVISIONS, INITIALIZED, rpcRequest, firstMessage, type Revision } from '../mcp-messages.ts';
import { porchlightProgram, type BenchContext, type Program } from '../bench-context.ts';
import { memoryServer } from '../memory-server.ts';
import { formatCount, type Bench } from '../row.ts';

const MAX_BYTES = 16 * 1024;

/** The size of tools/list. */
export const lists: Bench = {
  name: 'lists',
  run: async (context) => {
    const folder = context.copyStore(1000);
    const memoryServerList = await requestToolsList(context, memoryServer(context, 1), '2025');
    const rows = [
      {
        path: `tools/list of server-memory, ${memoryServerList.tools} tools`,
        goal: '',
        measured: `${formatCount(memoryServerList.bytes)} bytes`,
      },
    ];
    for (const revision of REVISIONS) {
      const { bytes, tools } = await requestToolsList(context, porchlightProgram('stdio', folder), revision);
      rows.push({
        path: `tools/list, ${revision}, ${tools} tools`,
        goal: '<= 16 KB',
        met: bytes <= MAX_BYTES,
        measured: `${formatCount(bytes)} bytes`,
      } as (typeof rows)[0]);
    }
    return rows;
  },
};

async function requestToolsList(
  context: BenchContext,
  program: Program,
  revision: Revision,
): Promise<{ bytes: number; tools: number }> {
  const client = context.startLineServer(program);
  await client.request(`${firstMessage(revision)}\n`);
  if (revision === '2025') client.notify(`${INITIALIZED}\n`);
  const line = await client.request(`${rpcRequest(revision, 'tools/list')}\n`);
  const { result } = JSON.parse(line.toString()) as { result: { tools: unknown[]; nextCursor?: string } };
  assert.equal(result.nextCursor, undefined);
  return { bytes: line.length, tools: result.tools.length };
}
