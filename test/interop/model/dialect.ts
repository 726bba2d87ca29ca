/** A tool as a host offers it to its model. */
export interface OfferedTool {
  /** The name that a call has to have, such as `mcp__porchlight__read_feed`. */
  readonly name: string;
  /** Of the Responses API, where a host groups the tools of a server. */
  readonly namespace?: string;
}

/** What the scripted model needs to know of a request. */
export interface ModelRequest {
  readonly streaming: boolean;
  readonly tools: readonly OfferedTool[];
  /** Of the calls so far, oldest first. */
  readonly results: readonly ToolResult[];
}

interface ToolResult {
  /** Of the call, unless the host gave it another. */
  readonly id: string;
  readonly json: string;
}

interface ToolCall {
  readonly id: string;
  readonly tool: OfferedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One turn of the model: a call or a closing text. */
export type Turn = { readonly call: ToolCall } | { readonly text: string };

/** An event of a stream. A string is sent as it is, everything else as JSON. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** How one API spells requests and turns. */
export interface Dialect {
  /** Whether this is the path of a request for a turn, without the query. */
  readonly path: RegExp;
  /** @param body parsed JSON of a client. A dialect reads members unchecked: a wrong one fails the run. */
  read(body: any, path: string): ModelRequest; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** The body of a response that is not streamed. */
  whole(turn: Turn, model: string): unknown;
  events(turn: Turn, model: string): readonly StreamEvent[];
}
