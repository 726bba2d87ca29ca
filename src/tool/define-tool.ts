import type { Caller } from '#workspace/caller.ts';
import type { ErrorCode } from '#workspace/errors.ts';
import type { Workspace } from '#workspace/workspace.ts';
import type { z } from 'zod';

/** What a tool does to the world, in the four hints that a host may show or act on. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Changes nothing. What it returns may be the words of anybody, so the world is open. */
export const READS: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/** Publishes something new, and can neither change nor remove what is there. */
export const APPENDS: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};

/** What any tool that publishes can meet. `not_found`: a repeated call whose record is no longer visible. */
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

export interface Context {
  readonly workspace: Workspace;
  readonly caller: Caller;
}

/**
 * A tool: data, and one line of code. Every surface is derived from it: the MCP tool and resource, the REST route,
 * the OpenAPI document, the discovery document, the list in the README, and the test of its example.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** Also the name of its file. */
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, when not, what becomes public, what can go wrong. */
  readonly description: string;
  /** Method and path, its parameters in braces under the names of input fields. */
  readonly http: `GET /${string}` | `POST /${string}`;
  /** Path under which what was published is read, its parameters in braces under the names of output fields. */
  readonly location?: `/${string}`;
  /** The URI under which a read is an MCP resource too, its parameters as in `http`. */
  readonly resource?: `porchlight://${string}`;
  readonly annotations: Annotations;
  /** The flood limit that a write counts against. */
  readonly limitScope?: 'feed' | 'porch';
  readonly input: Input;
  readonly output: Output;
  /** What can go wrong besides `invalid_request`. */
  readonly errors: readonly ErrorCode[];
  /** Arguments that hold in the world of `data/example.json`. */
  readonly example: Readonly<Record<string, string | number>>;
  readonly handle: (input: z.output<Input>, context: Context) => Promise<z.output<Output>> | z.output<Output>;
}

/** A tool of any input and output, as machinery handles it. */
export type AnyTool = Omit<Tool, 'handle'> & {
  readonly handle: (input: never, context: Context) => unknown;
};

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}
