import type { CachedResult } from '#tool/cached-result.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { fillIn, parseRoute } from '#tool/route.ts';

const CURSORS = { nextBefore: 'before', nextAfter: 'after' } as const;

/** Creates a function that returns the Link header (RFC 8288) to the next page, without default arguments. */
export function createLinker(tool: AnyTool, baseUrl: string): (result: CachedResult) => string | undefined {
  const { path, parameters } = parseRoute(tool);
  const { inQuery = {} } = tool;
  return ({ input, output }) => {
    for (const [field, parameter] of Object.entries(CURSORS)) {
      const cursor = output[field];
      if (typeof cursor !== 'string') continue;
      const { properties } = inputSchema(tool);
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(input)) {
        const { name: queryName = name, default: standard = properties[name]?.default } = inQuery[name] ?? {};
        const isImplied = parameters.includes(name) || value === standard;
        if (!isImplied && value !== undefined) query.set(queryName, toText(value));
      }
      query.set(parameter, cursor);
      return `<${baseUrl}${fillIn(path, (name) => toText(input[name]))}?${query.toString()}>; rel="next"`;
    }
    return undefined;
  };
}

/** Arguments are strings, numbers, booleans and lists of strings. */
function toText(argument: unknown): string {
  if (Array.isArray(argument)) return argument.join(',');
  return typeof argument === 'string' ? argument : JSON.stringify(argument);
}
