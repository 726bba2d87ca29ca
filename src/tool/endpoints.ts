import type { Endpoint } from '#workspace/protocol.ts';
import type { AnyTool } from './define-tool.ts';
import { parseRoute } from './route.ts';

/** The REST call of every tool, for the protocol. */
export function listEndpoints(tools: readonly AnyTool[]): Endpoint[] {
  return tools.map((tool) => {
    const { method, path } = parseRoute(tool);
    return { method, path, tool: tool.name, purpose: tool.title };
  });
}
