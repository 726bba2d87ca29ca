import { toOwnBytes, type CachedResult, type ResultForm } from '#tool/cached-result.ts';
import type { AnyTool, Toolset } from '#tool/define-tool.ts';
import { fillIn } from '#tool/route.ts';
import { CACHE_HINTS } from '#mcp/protocol/revisions.ts';
import type { MethodResult } from '#mcp/protocol/methods.ts';
import { toResource } from '#mcp/protocol/result.ts';

/** The bytes of a JSON-RPC response up to the id of its request. */
interface ResponseForm extends ResultForm {
  readonly before: Buffer;
}

/**
 * Creates the responses of one SDK's revisions, with members in the order of that SDK.
 * @param tail JSON that the SDK adds at the end of each result; empty for revisions with `initialize`
 */
export function createForms(tail: string, toolset: Toolset) {
  const hint = (method: string): string =>
    tail === '' || CACHE_HINTS[method] === undefined ? '' : `,${jsonMembers(CACHE_HINTS[method])}`;
  const wrap = (method: string, members: string): Buffer =>
    toOwnBytes(Buffer.from(`{"result":{${members}${hint(method)}${tail}},"jsonrpc":"2.0","id":`));
  const toForm = (method: string, members: string): ResponseForm => {
    const before = wrap(method, members);
    return { before, size: before.length };
  };
  const lists = new Map<string, Buffer>();
  const resources = new Map<AnyTool, (result: CachedResult) => ResponseForm>();
  return {
    wrap,
    tool: ({ text }: CachedResult): ResponseForm => {
      const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
      return toForm('tools/call', toolset === 'all' ? `${content},"structuredContent":${text}` : content);
    },
    /** @returns the same function for the same tool: CachedResult stores forms by function */
    resource: (tool: AnyTool): ((result: CachedResult) => ResponseForm) => {
      const known = resources.get(tool);
      if (known !== undefined) return known;
      const make = ({ input, text }: CachedResult): ResponseForm => {
        const uri = fillIn(tool.resource ?? '', (name) => String(input[name]));
        return toForm('resources/read', jsonMembers(toResource(uri, text)));
      };
      resources.set(tool, make);
      return make;
    },
    list: (method: string, list: () => MethodResult): Buffer => {
      const bytes = lists.get(method) ?? wrap(method, jsonMembers(list()));
      lists.set(method, bytes);
      return bytes;
    },
  };
}

/** The members of an object as JSON, without its braces. */
export function jsonMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
