/** The client of a call, as far as the service knows it. */
export interface Caller {
  /** Rate-limit key: the client's network, or `LOOPBACK_CLIENT`. */
  readonly clientKey: string;
  /**
   * Code points of all texts in a list. The list ends with the record that reaches this sum, so that a result
   * fits into the context window of a model. Unlimited if absent.
   */
  readonly textBudget?: number;
  /** Whether the client has closed its connection. Absent if the transport cannot tell. */
  readonly hasLeft?: () => boolean;
  /** Whether the call occupies a slot of `WaitLimit`, which bounds the reads that it makes. */
  readonly hasWaitPlace?: boolean;
}

/** What a read has to know of its caller. */
export type TextLimit = Pick<Caller, 'textBudget'>;

/** The rate-limit key of all clients on stdio, 127.0.0.0/8 and ::1. */
export const LOOPBACK_CLIENT = 'local';
