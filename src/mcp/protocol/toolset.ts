import type { AnyTool } from '#tool/define-tool.ts';

/**
 * The tools of an MCP endpoint. `core` is for models with a small context window: it lists its tools without
 * output schemas, and a result has its JSON only as text, without `structuredContent`.
 */
export type Toolset = 'all' | 'core';

export function toolsIn(toolset: Toolset, tools: readonly AnyTool[]): readonly AnyTool[] {
  return toolset === 'all' ? tools : tools.filter(({ core }) => core === true);
}
