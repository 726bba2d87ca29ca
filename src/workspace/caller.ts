/** Who calls, as far as the service may know. */
export interface Caller {
  /** The network that limits are counted over; `LOCAL` for everybody on this machine. */
  readonly clientKey: string;
  /** A list ends early once its texts reach so many characters, for callers that read into a model's window. */
  readonly textBudget?: number;
}

/** stdio, 127.0.0.0/8 and ::1 are one visitor. */
export const LOOPBACK_CLIENT = 'local';
