import type { Endpoint } from '#workspace/protocol.ts';
import type { AnyTool } from './define-tool.ts';
import { routeOf } from './route.ts';

/** @returns the REST call of every tool, as the protocol lists it */
export function endpointsOf(tools: readonly AnyTool[]): Endpoint[] {
  return tools.map((tool) => {
    const { method, path } = routeOf(tool);
    return { method, path, tool: tool.name, purpose: tool.title };
  });
}
