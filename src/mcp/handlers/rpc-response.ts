import { toOwnBytes, type CachedResult, type EncodedResult } from '#tool/cached-result.ts';
import type { RpcResponse } from '#tool/mcp-endpoint.ts';
import type { Context } from '#tool/define-tool.ts';
import type { Call } from '#mcp/protocol/call.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { CACHE_HINTS } from '#mcp/protocol/revisions.ts';
import {
  type CachedMethodResult,
  type Method,
  type MethodResult,
  type ReportFailure,
  toFailure,
  toResourceError,
} from '#mcp/methods/method-table.ts';

/** The bytes of a JSON-RPC response up to the id of its request. */
interface EncodedResponse extends EncodedResult {
  readonly before: Buffer;
}

type Encode = (result: CachedResult) => EncodedResponse;

/**
 * Creates the function that runs a method and writes its response in the bytes that the SDK of the revision
 * would send. `test/support/mcp/sdk-oracle.ts` compares the two.
 * @param info `serverInfo`, which every result of STATELESS_VERSION has
 */
export function createResponder(info: object, report: ReportFailure) {
  const meta = JSON.stringify({ 'io.modelcontextprotocol/serverInfo': info });
  const writeHandshake = createWriter(() => '');
  const writeStateless = createWriter((method, hasType) => {
    const hints = CACHE_HINTS[method];
    const hint = hints === undefined ? '' : `,${jsonMembers(hints)}`;
    return `${hint}${hasType ? '' : ',"resultType":"complete"'},"_meta":${meta}`;
  });
  return async (run: Method, call: Call, context: Context): Promise<RpcResponse> => {
    try {
      const write = call.isStateless ? writeStateless : writeHandshake;
      return write(call, await run(call.params, context));
    } catch (error) {
      return writeError(call, toProtocolError(error, report));
    }
  };
}

/** @param report receives an error that is not a `ProtocolError` */
export function toProtocolError(error: unknown, report: ReportFailure): ProtocolError {
  return error instanceof ProtocolError ? error : toResourceError(toFailure(error, report));
}

/**
 * Creates the function that writes the results of one generation of the protocol.
 * @param tailOf returns what the SDK adds to a result; `hasType` if it has a `resultType` (SEP-2322)
 */
function createWriter(tailOf: (method: string, hasType: boolean) => string) {
  const encoders = new Map<CachedMethodResult['writeMembers'], Encode>();

  /** @returns the same function for each kind of result, because `CachedResult` finds its bytes by it */
  function encoderOf(method: string, writeMembers: CachedMethodResult['writeMembers']): Encode {
    const known = encoders.get(writeMembers);
    if (known !== undefined) return known;
    const make: Encode = (result) => {
      const before = toOwnBytes(Buffer.from(wrap(writeMembers(result) + tailOf(method, false))));
      return { before, size: before.length };
    };
    encoders.set(writeMembers, make);
    return make;
  }

  return ({ method, id }: Call, result: MethodResult | CachedMethodResult): RpcResponse => {
    const after = `${JSON.stringify(id)}}`;
    if (isCached(result))
      return { before: result.cached.encodedAs(encoderOf(method, result.writeMembers)).before, after };
    const tail = tailOf(method, result['resultType'] !== undefined);
    return { before: wrap(jsonMembers(result) + tail), after };
  };
}

export function isCached(result: MethodResult | CachedMethodResult): result is CachedMethodResult {
  return 'cached' in result && 'writeMembers' in result;
}

/** In STATELESS_VERSION an unknown resource is `invalidParams` (SEP-2164). */
export function writeError(
  { id, isStateless }: Call,
  { code: sent, message, data }: ProtocolError,
): RpcResponse {
  const code = isStateless && sent === RPC.resourceNotFound ? RPC.invalidParams : sent;
  const after = `${JSON.stringify(id)},${jsonMembers({ error: { code, message, data } })}}`;
  return { before: '{"jsonrpc":"2.0","id":', after, ...(code === RPC.missingCapability && { status: 400 }) };
}

function wrap(members: string): string {
  return `{"result":{${members}},"jsonrpc":"2.0","id":`;
}

function jsonMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
