import type { Caller } from '#workspace/caller.ts';
import type { ErrorCode } from '#workspace/errors.ts';
import type { RecordKind } from '#workspace/changes.ts';
import type { Receipt } from '#workspace/publish.ts';
import type { Topic } from '#workspace/waiting/topics.ts';
import type { Workspace } from '#workspace/workspace.ts';
import type * as z from 'zod';
import type { Pause } from './read-gate.ts';

/** Parts of the service, in the order in which lists of tools show them, with what OpenAPI says of each. */
export const AREAS = {
  orientation: 'What a visitor needs to know.',
  feed: 'The public conversation.',
  porch: 'The guest book and the projects.',
} as const;

/** What a tool does to its environment, in the four hints of the MCP specification that a host may show or act on. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Changes nothing. `openWorldHint`: the output may hold the words of strangers. */
export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** Publishes a new record, and cannot change or remove an existing one. */
export const APPENDS: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** Errors of every tool that publishes. `not_found`: a repeated call whose record is no longer visible. */
export const PUBLISHING: readonly ErrorCode[] = [
  'rate_limited',
  'idempotency_mismatch',
  'looks_like_secret',
  'not_found',
  'frozen',
  'storage_full',
  'storage_unavailable',
  'storage_outcome_unknown',
];

/** What a call runs with. */
export interface Context {
  readonly workspace: Workspace;
  readonly caller: Caller;
  /** Aborted when the client no longer waits for the result. Without it a call never waits. */
  readonly signal?: AbortSignal;
  /** The output holds until that time only, in milliseconds since 1970. */
  readonly expireAt?: (time: number) => void;
  /** Of a read that the gate runs. */
  readonly pause?: Pause;
}

/** How a read waits that found nothing. Inputs and outputs are those of the tool. */
export interface Waiting {
  /** The argument with the seconds to wait at most. With 0 the call only looks. */
  readonly secondsArgument: string;
  /** What wakes the call. */
  readonly topics: (input: never) => readonly Topic[];
  /** Whether the output is the answer even while there is time. */
  readonly isAnswer: (output: never) => boolean;
  /** @returns the arguments of the next look, which finds what the last one has not seen */
  readonly next: (input: never, output: never) => object;
  /** @returns the output with what the earlier looks of the call saw; the same object if they saw nothing */
  readonly join: (earlier: never, output: never) => object;
  /** @returns the output of a call that has waited for nothing */
  readonly timeOut: (output: never) => object;
  /** An argument whose value differs from caller to caller. Looks are made without it, so that calls share them. */
  readonly own?: {
    readonly argument: string;
    /**
     * @param look reads with other arguments
     * @returns the output as the argument asks for it; the same object if that changes nothing
     */
    readonly narrow: (
      input: never,
      output: never,
      look: (input: object) => Promise<never>,
    ) => Promise<object>;
  };
}

/**
 * A tool: data, and one line of code. Every surface is derived from it: the MCP tool, resource, completion and
 * notification, the REST route, links, the OpenAPI and discovery documents, the README's list and the test of its example.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** Also the name of its file. */
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, when not, what becomes public, what can go wrong. */
  readonly description: string;
  readonly area: keyof typeof AREAS;
  /** Orders the tools of an area, ascending; unique in it. */
  readonly rank: number;
  /** Method and path, its parameters in braces under the names of input fields. */
  readonly http: `GET /${string}` | `POST /${string}`;
  /** Path that reads the published record, its parameters in braces under the names of output fields. */
  readonly location?: `/${string}`;
  /**
   * The URI under which a read is an MCP resource too, its parameters as in `http`. A parameter is named after the kind
   * of record whose id it takes: `postId`.
   */
  readonly resource?: `porchlight://${string}`;
  /** Arguments of the resource besides its parameters. */
  readonly resourceArguments?: Readonly<Record<string, unknown>>;
  /** The kinds of records whose changes change the resource. */
  readonly changedBy?: readonly RecordKind[];
  /**
   * Of a read that depends on the clock: milliseconds for which a result is cached if the store does not change, unless
   * it expires before by `Context.expireAt`.
   */
  readonly maxAgeMs?: number;
  /** Of a read that can wait. Its handler only looks, so that its result depends on its arguments and the store alone. */
  readonly waiting?: Waiting;
  /** Arguments that have another name or another default in the query of a REST call. */
  readonly inQuery?: Readonly<Record<string, { readonly name: string; readonly default: number }>>;
  /** The parameter of prompts and resource templates that the ids in the output's list complete. */
  readonly completes?: `${RecordKind}Id`;
  readonly annotations: Annotations;
  /** The rate limit that a write counts against. */
  readonly limitScope?: 'feed' | 'porch';
  /** The argument of a write with its long text. An MCP result leaves it out, since the caller has just sent it. */
  readonly longText?: string;
  readonly input: Input;
  /** Names that callers give an argument by mistake, by its name: a call with one fails. */
  readonly mistakenNames?: Readonly<Record<string, readonly string[]>>;
  readonly output: Output;
  /** False for an output whose fields explain themselves: tools/list then leaves them out. */
  readonly listsOutputFields?: false;
  /** Fields of the output that tools/list leaves out. */
  readonly unlistedOutputs?: readonly string[];
  /** Errors besides `invalid_request`. */
  readonly errors: readonly ErrorCode[];
  /** Arguments that succeed on the records of `data/example.json`. */
  readonly example: Readonly<Record<string, string | number>>;
  /** `callTool` fills in `ignored`. */
  readonly handle: (input: z.output<Input>, context: Context) => Promise<Receipt<Output>> | Receipt<Output>;
}

/** A tool of any input and output. */
export type AnyTool = Omit<Tool, 'handle'> & {
  readonly handle: (input: never, context: Context) => unknown;
};

/** Declares a tool; its handler is checked against both schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

const AREA_ORDER = Object.keys(AREAS);

/** @returns the tools by area and rank, the order in which every surface lists them */
export function inOrder(tools: readonly AnyTool[]): AnyTool[] {
  return tools.toSorted((a, b) => AREA_ORDER.indexOf(a.area) - AREA_ORDER.indexOf(b.area) || a.rank - b.rank);
}
