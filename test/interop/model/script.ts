import type { ModelRequest, OfferedTool, Turn } from './dialect.ts';

export interface ScriptedCall {
  /** The end of the name that the host gives to the tool. */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Script {
  readonly calls: readonly ScriptedCall[];
  readonly closing: string;
}

/** Some hosts show their model a search in place of the tools. */
const SEARCH = /^tool_?search$/i;
const SEARCH_ID = 'call_search';
const SEARCH_ARGUMENTS = { query: 'porchlight', max_results: 20 };

/** Some of them call what was found by another tool. */
const CALL_FOUND = 'tool_call';

const offered = ({ tools }: ModelRequest, end: string): OfferedTool | undefined =>
  tools.find(({ name }) => name.endsWith(end));

const foundName = ({ results }: ModelRequest, end: string): string | undefined => {
  const search = results.find(({ id }) => id === SEARCH_ID);
  return search && new RegExp(`[\\w-]+${end}\\b`).exec(search.json)?.[0];
};

/** @returns the name ending like this that the host shows its model, be it in the result of a search */
export function shownName(request: ModelRequest, end: string): string | undefined {
  const tool = offered(request, end);
  if (tool === undefined) return foundName(request, end);
  return tool.namespace === undefined ? tool.name : `${tool.namespace}.${tool.name}`;
}

/** Whether the model had to search for tools. */
export const hasSearched = ({ results }: ModelRequest): boolean => results.some(({ id }) => id === SEARCH_ID);

/**
 * The calls in their order, one for each result that the host has sent back, then the closing text. If the tool is not
 * offered, a search for it comes first. A request that offers neither, such as that for a title, gets the closing text.
 */
export function nextTurn({ calls, closing }: Script, request: ModelRequest): Turn {
  const done = request.results.filter(({ id }) => id !== SEARCH_ID).length;
  const call = calls[done];
  if (call === undefined) return { text: closing };
  const id = `call_${done + 1}`;
  const tool = offered(request, call.tool);
  if (tool !== undefined) return { call: { id, tool, args: call.args } };
  const name = foundName(request, call.tool);
  const caller = request.tools.find((one) => one.name === CALL_FOUND);
  if (name !== undefined && caller !== undefined)
    return { call: { id, tool: caller, args: { name, arguments: call.args } } };
  const search = request.tools.find((one) => SEARCH.test(one.name));
  if (search === undefined || request.results.length > done) return { text: closing };
  return { call: { id: SEARCH_ID, tool: search, args: SEARCH_ARGUMENTS } };
}
