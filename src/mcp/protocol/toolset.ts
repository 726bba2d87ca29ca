import type { AnyTool } from '#tool/define-tool.ts';

/**
 * The tools of an MCP endpoint. `core` is for models with a small context window: its tools are listed without
 * output schemas, and a result contains its JSON only as text, without `structuredContent`.
 */
export type Toolset = 'all' | 'core';

/** @returns the tools that an endpoint offers */
export function toolsIn(toolset: Toolset, tools: readonly AnyTool[]): readonly AnyTool[] {
  return toolset === 'all' ? tools : tools.filter(({ core }) => core === true);
}
