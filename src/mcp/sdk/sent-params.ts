import type { Params } from '#mcp/protocol/methods.ts';

/** The members that SDK v2 removes from the parameters of a request. */
interface Lifted {
  /**
   * Members of `_meta` that every request of the revision has, such as the capabilities of the client
   * (SEP-2575).
   */
  readonly envelope?: object;
  /**
   * The client's answers to an earlier result of the type `input_required` (SEP-2322), without malformed
   * ones.
   */
  readonly inputResponses?: object;
  /**
   * @returns the state of the earlier result as the client sent it back, so it may be forged; undefined
   * without one
   */
  readonly requestState: () => unknown;
}

/** Restores the parameters as the client sent them, so that the handler of the request gets all of them. */
export function toSentParams(params: Params, { envelope, inputResponses, requestState }: Lifted): Params {
  const state = requestState();
  return {
    ...params,
    ...(envelope && { _meta: { ...(params['_meta'] as object | undefined), ...envelope } }),
    ...(inputResponses && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
}
