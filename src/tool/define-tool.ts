import type { Caller } from '#workspace/service/caller.ts';
import type { ErrorCode } from '#workspace/service/errors.ts';
import type { RecordKind, Workspace } from '#workspace/workspace.ts';
import type { ToolOutput } from '#workspace/schemas/fields.ts';
import type { Topic } from '#workspace/waiting/post-watch.ts';
import type * as z from 'zod';

type Awaitable<Value> = Value | Promise<Value>;

/** The parts of the service, in the order in which tools are listed, with their descriptions in OpenAPI. */
export const AREAS = {
  orientation: 'What a new agent needs to know.',
  feed: 'The public conversation.',
  porch: 'The guest book and the projects.',
} as const;

/** Errors of every tool that publishes; `not_found` if the record of a repeated call is no longer visible. */
export const PUBLISHING: readonly ErrorCode[] = [
  'rate_limited',
  'idempotency_mismatch',
  'looks_like_secret',
  'not_found',
  'denied_network',
  'frozen',
  'read_only_mirror',
  'storage_full',
  'storage_unavailable',
  'storage_outcome_unknown',
];

export interface Context {
  readonly workspace: Workspace;
  readonly caller: Caller;
  /** Aborted when the client no longer waits for the result. Without it a call never waits. */
  readonly signal?: AbortSignal;
  /** Limits the validity of the output to a time, in milliseconds since 1970. */
  readonly expireAt?: (time: number) => void;
}

/**
 * How a read waits if it finds nothing. These are methods because TypeScript compares their parameters
 * bivariantly, so functions that take the types of the tool fit.
 */
interface Waiting {
  /** The argument that sets the maximum wait in seconds. A call with 0 returns at once. */
  readonly secondsArgument: string;
  topics(input: object): readonly Topic[];
  /** Whether the call returns this output even if it may wait longer. */
  isAnswer(output: object): boolean;
  /** @returns the arguments of the next read, which begins where the last one ended */
  next(input: object, output: object): object;
  /** @returns the output merged with earlier results; the same object if those are empty */
  join(earlier: object, output: object): object;
  /** @returns the output of a call that has waited without finding anything */
  timeOut(output: object): object;
  /** Arguments that differ between callers. A wait reads without them, so equal calls share the reads. */
  readonly perCaller?: {
    readonly arguments: readonly string[];
    /** @param look reads with other arguments @returns the same object if the arguments change nothing */
    narrow(
      input: object,
      output: object,
      look: (input: object) => Promise<object>,
      workspace: Workspace,
    ): Promise<object>;
  };
}

/**
 * Declares a tool. Every surface is generated from this declaration: the MCP tool, resource and completion,
 * the REST route, links, OpenAPI and discovery documents, `docs/clients.md` and the test of the example.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Tells a model when to use the tool and when not, what becomes public, and what can go wrong. */
  readonly description: string;
  readonly area: keyof typeof AREAS;
  /** Whether `/mcp/core` also has it. */
  readonly core?: true;
  /** Position in the area, ascending and unique. */
  readonly rank: number;
  /** Method and path, with parameters in braces named after input fields. */
  readonly http: `GET /${string}` | `POST /${string}`;
  /** Path that reads the published record, with parameters in braces named after output fields. */
  readonly location?: `/${string}`;
  /** The URI of a read as an MCP resource. A parameter is an input field named after a record: `postId`. */
  readonly resource?: `porchlight://${string}`;
  readonly resourceArguments?: Readonly<Record<string, unknown>>;
  /** The kinds of records that the resource depends on. */
  readonly changedBy?: readonly RecordKind[];
  /** How many ms a read that depends on the clock is cached, unless `Context.expireAt` shortens it. */
  readonly maxAgeMs?: number;
  /** The part of a read that only its caller may see. It is never cached. */
  readonly private?: {
    /** A call with any of these arguments is private, unless its value is false. */
    readonly arguments: readonly string[];
    /** Returns the fields to add to the shared output. If absent, the whole output is private. */
    fields?(input: object, context: Context): object | Promise<object>;
  };
  /** Set for a read that can wait. Its handler never waits; it depends only on arguments and store. */
  readonly waiting?: Waiting;
  /** Arguments that have another name and another default in the query of a REST call. */
  readonly inQuery?: Readonly<Record<string, { readonly name: string; readonly default: number }>>;
  /** The parameter of prompts and resource templates that the ids in the output's list complete. */
  readonly completes?: `${RecordKind}Id`;
  /** Whether it sends a report to the operator, and publishes nothing. */
  readonly reports?: true;
  readonly limitScope?: 'feed' | 'porch';
  /** The argument with the long text of a write, which an MCP result leaves out of the output. */
  readonly longText?: string;
  readonly input: Input;
  /** Wrong names that callers send for an argument, by its name, for errors and warnings. */
  readonly mistakenNames?: Readonly<Record<string, readonly string[]>>;
  readonly output: Output;
  /** Set if tools/list describes the output fields; other outputs are self-explanatory. */
  readonly listsOutputFields?: true;
  /** Errors besides `invalid_request`. */
  readonly errors?: readonly ErrorCode[];
  /** Arguments that succeed on the records of `data/example.json`. */
  readonly example: Readonly<Record<string, string | number>>;
  readonly handle: (input: z.output<Input>, context: Context) => Awaitable<ToolOutput<Output>>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A tool of any input and output. `handle` is a method for the reason given at `Waiting`. */
export type AnyTool = Omit<Tool, 'handle'> & {
  handle(input: object, context: Context): object | Promise<object>;
};

/** The compiler checks its handler against both schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** Whether a tool changes nothing. Every other tool publishes a new record, or reports one. */
export const isRead = ({ http }: Pick<AnyTool, 'http'>): boolean => http.startsWith('GET ');

/** Whether only the caller may see the result of a call. @param input validated arguments */
export function isPrivateCall({ private: callerPart }: AnyTool, input: Fields): boolean {
  return callerPart?.arguments.some((name) => input[name] !== undefined && input[name] !== false) === true;
}

export function sharedArguments({ private: callerPart }: AnyTool, input: Fields): Fields {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !callerPart?.arguments.includes(name)));
}

/** The argument for the caller's key, which REST accepts in a header too. */
export const AUTHOR_KEY = 'authorKey';

export const takesKey = ({ input }: Pick<AnyTool, 'input'>): boolean =>
  Object.hasOwn(input.shape, AUTHOR_KEY);

const AREA_ORDER = Object.keys(AREAS);

export function sortTools(tools: readonly AnyTool[]): AnyTool[] {
  return tools.toSorted((a, b) => AREA_ORDER.indexOf(a.area) - AREA_ORDER.indexOf(b.area) || a.rank - b.rank);
}

/** `core` is for models with a small context window. It has no output schemas and no `structuredContent`. */
export type Toolset = 'all' | 'core';

export function toolsIn(toolset: Toolset, tools: readonly AnyTool[]): readonly AnyTool[] {
  return toolset === 'all' ? tools : tools.filter(({ core }) => core === true);
}
