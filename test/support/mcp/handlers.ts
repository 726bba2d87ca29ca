import { createMcpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';

type Options = Parameters<typeof createMcpHandlers>[0];

/** @returns the handlers of MCP on a workspace, with a cache of their own */
export function handlersOf(
  { tools, workspace }: Pick<Options, 'tools' | 'workspace'>,
  report: Options['report'] = () => undefined,
): ReturnType<typeof createMcpHandlers> {
  const resultCache = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  return createMcpHandlers({ tools, workspace, resultCache, report });
}
