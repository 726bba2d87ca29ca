import * as z from 'zod';
import { parseInput } from '#tool/call-tool.ts';
import type { IncomingMessage } from 'node:http';
import type { CachedResult } from '#tool/cached-result.ts';
import { type AnyTool, AUTHOR_KEY, type Fields, takesKey } from '#tool/define-tool.ts';
import { inputSchema, type JsonSchema } from '#tool/json-schema.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import { ignoredArguments } from '#tool/unknown-arguments.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import type { Document } from '#http/responses/document.ts';

const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/;
const KEY_IN_URL = 'must not be in a URL: send the key in the header Authorization, as Bearer plk-…';
const NOT_UTF8 = 'is not UTF-8: encode each byte of UTF-8 as % and two hex digits';

interface QueryArguments {
  readonly args: Readonly<Record<string, unknown>>;
  /** Names the parameters that a read ignores. The body cannot name them, because all such calls share it. */
  readonly headers: { readonly 'Ignored-Parameters': string } | undefined;
}

/**
 * Creates a function that parses the arguments in a query. The schema decides whether digits become a number,
 * `true` and `false` a boolean, and a string with commas a list. Unknown names stay in the result, so that
 * the tool finds misspellings as on every other surface.
 * @param parameters the names of the path parameters
 */
export function createQueryParser(
  tool: Pick<AnyTool, 'input' | 'inQuery'>,
  parameters: readonly string[] = [],
): (query: URLSearchParams) => QueryArguments {
  const { inQuery = {} } = tool;
  const argumentNames = new Map(Object.entries(inQuery).map(([argument, { name }]) => [name, argument]));
  return (query) => {
    const args = new Map<string, unknown>();
    const properties = query.size === 0 ? {} : inputSchema(tool).properties;
    for (const [name, value] of query) {
      const argument = argumentNames.get(name) ?? name;
      const isKnown = Object.hasOwn(properties, argument);
      // The query may not repeat a path parameter.
      if (isKnown && (args.has(argument) || parameters.includes(argument)))
        throw invalidRequestError([{ path: name, message: 'occurs more than once: send it once' }]);
      // Skipped, so that the default of the query applies below.
      if (isKnown && value === '') continue;
      if (isKnown && argument === AUTHOR_KEY)
        throw invalidRequestError([{ path: name, message: KEY_IN_URL }]);
      // `URLSearchParams` replaces invalid UTF-8 with this character, which no message contains.
      if (isKnown && value.includes('\uFFFD')) throw invalidRequestError([{ path: name, message: NOT_UTF8 }]);
      args.set(argument, isKnown ? toArgument(properties[argument]?.type, value) : value);
    }
    for (const [argument, { default: value }] of Object.entries(inQuery))
      if (!args.has(argument)) args.set(argument, value);
    const ignored = ignoredArguments(tool, [...args.keys()]);
    // A name may contain letters that a header cannot.
    const names = ignored.join(', ').replaceAll(/[^ -~]+/g, '_');
    return {
      args: Object.fromEntries(args),
      headers: ignored.length === 0 ? undefined : { 'Ignored-Parameters': names },
    };
  };
}

const BEARER_KEY = /^Bearer +(plk.*)$/is;

/**
 * Parses the author key in the header `Authorization: Bearer plk-…` for a tool that takes one. Any other
 * value is not meant for this service, and is ignored.
 */
export function keyOfHeader(
  tool: Pick<AnyTool, 'input'>,
  { headers }: Pick<IncomingMessage, 'headers'>,
): { readonly [AUTHOR_KEY]?: string } {
  const [, key] = BEARER_KEY.exec(headers.authorization ?? '') ?? [];
  return key !== undefined && takesKey(tool) ? { [AUTHOR_KEY]: key } : {};
}

/** @returns the number, boolean or list that the schema requires, otherwise the text */
function toArgument(type: JsonSchema['type'], text: string): unknown {
  if (type === 'integer' && WHOLE_NUMBER.test(text)) return Number(text);
  if (type === 'array') return text.startsWith('[') ? text : text.split(',');
  return type === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

export type DocumentQuery = Pick<QueryArguments, 'headers'> & { readonly fields: Fields };

/** The rules of every document and page, besides its arguments. No error repeats a path. */
export const DOCUMENT_RULES = { name: 'this URL', http: 'GET /' } as const;

/**
 * Creates a function that parses the query of a document by the rules of a read, in the order of its schema
 * and with defaults. Path parameters are not arguments: a feed ignores `?postId=`. The function throws
 * WorkspaceError invalid_request.
 */
export function createDocumentQueryParser(
  input: Document['query'] = z.object({}),
): (query: URLSearchParams) => DocumentQuery {
  const parseQuery = createQueryParser({ input });
  return (query) => {
    // An empty parameter, which forms send, counts as absent.
    const { args, headers } = parseQuery(new URLSearchParams([...query].filter(([, value]) => value !== '')));
    return { fields: parseInput({ ...DOCUMENT_RULES, input }, args), headers };
  };
}

/** Replaces the argument names in an error with their names in a query. */
export function toQueryError(error: unknown, { inQuery = {} }: AnyTool): unknown {
  if (!(error instanceof WorkspaceError) || error.failure.errors === undefined) return error;
  return invalidRequestError(
    error.failure.errors.map(({ path, message }) => ({ path: inQuery[path]?.name ?? path, message })),
  );
}

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
