import type { AnyTool, Context } from '#tool/define-tool.ts';
import type { RecordKind } from '#workspace/workspace.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { requireString, type Params } from '#mcp/protocol/call.ts';
import { PROMPTS } from './prompts.ts';
import type { Resources } from './resources.ts';

/** The longest time between the creation of a record's id and its storage. */
const MAX_STORING_MS = 10_000;

export interface CompletionSources {
  /** All tools of the service: their reads are resources of every endpoint. */
  readonly tools: readonly AnyTool[];
  readonly resources: Resources;
  readonly resultCache: ResultCache;
}

/**
 * Completes an argument with the ids that begin with what the user has typed. They come from the newest page
 * of the tool that lists them. If that has none, the result is the typed id itself if it is complete, or ids
 * from the page that ends at the time that the typed characters encode.
 * @throws ProtocolError invalidParams if the reference has no such argument
 */
export async function completeArgument(
  { tools, resources, resultCache }: CompletionSources,
  { ref, argument }: Params,
  { workspace, caller }: Context,
) {
  const sought = (argument ?? {}) as Params;
  const name = requireString(sought['name'], 'argument.name');
  const prefix = requireString(sought['value'], 'argument.value');
  if (!argumentsOf(resources, (ref ?? {}) as Params).includes(name)) {
    const detail = 'params.ref must name a prompt or a resource template that has this argument.';
    throw new ProtocolError(RPC.invalidParams, detail);
  }
  const tool = tools.find(({ completes }) => completes === name);
  // No text budget, because the result contains only ids.
  const context = { workspace, caller: { ...caller, textBudget: Infinity } };
  const search = async (before: object) => {
    // A result has at most 100 values (MCP specification).
    const page = await (tool && resultCache.run(tool, { limit: 100, ...before }, context));
    const records = Object.values(page?.output ?? {}).find(Array.isArray) as { id: string }[] | undefined;
    const ids = (records ?? []).map(({ id }) => id);
    const hasMore = page?.output['nextBefore'] != null && ids.at(-1)?.startsWith(prefix) === true;
    return { values: ids.filter((id) => id.startsWith(prefix)), hasMore };
  };
  const newest = newestTime(prefix);
  const completion = await search({});
  if (completion.values.length > 0) return { completion };
  // Safe, since `completes` is a kind followed by "Id".
  const kind = tool?.completes?.slice(0, -'Id'.length) as RecordKind | undefined;
  const isId = kind !== undefined && /^[a-z]+_[\da-zA-Z-]+$/.test(prefix);
  if (isId && (await workspace.findRoot(kind, prefix)) !== undefined)
    return { completion: { values: [prefix], hasMore: false } };
  if (newest >= workspace.now()) return { completion };
  return { completion: await search({ before: new Date(newest).toISOString() }) };
}

/** Returns the arguments of the prompt or resource template that a reference names; none if it is unknown. */
function argumentsOf({ templates }: Resources, { type, name, uri }: Params): string[] {
  if (type === 'ref/prompt')
    return PROMPTS.find((prompt) => prompt.name === name)?.arguments?.map((one) => one.name) ?? [];
  const template = templates.find(({ uriTemplate }) => type === 'ref/resource' && uriTemplate === uri);
  return [...(template?.uriTemplate ?? '').matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
}

/** The latest time of an id with this prefix. A UUIDv7 begins with 48 bits of milliseconds since 1970. */
function newestTime(prefix: string): number {
  const [, digits = ''] = /^[a-z]+_([0-9a-f-]*)/.exec(prefix) ?? [];
  return parseInt(digits.replaceAll('-', '').slice(0, 12).padEnd(12, 'f'), 16) + MAX_STORING_MS;
}
