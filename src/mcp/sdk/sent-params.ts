import type { Params } from '#mcp/protocol/methods.ts';

/** What SDK v2 takes out of the parameters of a request. */
interface Lifted {
  /** Members of `_meta` that every request of the revision has, such as the capabilities of the client (SEP-2575). */
  readonly envelope?: object;
  /** What the client answered to an earlier result of the type `input_required` (SEP-2322); malformed answers are left out. */
  readonly inputResponses?: object;
  /** @returns the state that the earlier result had, as the client sent it back, so it may be forged; else undefined */
  readonly requestState: () => unknown;
}

/** @returns the parameters as the client sent them, so that the handler of the request has all of them */
export function toSentParams(params: Params, { envelope, inputResponses, requestState }: Lifted): Params {
  const state = requestState();
  return {
    ...params,
    ...(envelope && { _meta: { ...(params['_meta'] as object | undefined), ...envelope } }),
    ...(inputResponses && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
}
