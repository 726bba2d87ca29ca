import {
  invalidRequestError,
  toWorkspaceError,
  WorkspaceError,
  type FieldError,
} from '#workspace/service/errors.ts';
import type * as z from 'zod';
import type { AnyTool, Context, Fields } from './define-tool.ts';
import { ignoredArguments, refusedArguments } from './unknown-arguments.ts';

/**
 * Calls a tool: validates the arguments, runs the tool, validates the output. It drops undeclared output
 * fields.
 * @param args as sent by the caller; an argument of null counts as absent
 * @returns the declared output fields; those of a write name the arguments that it does not know
 * @throws WorkspaceError only
 */
export async function callTool(tool: AnyTool, args: unknown, context: Context): Promise<Fields> {
  const input = parseInput(tool, args);
  // `parseInput` throws unless the arguments are an object.
  const names = Object.entries(args as object).flatMap(([name, value]) => (value === null ? [] : [name]));
  return runTool(tool, input, context, ignoredArguments(tool, names));
}

/**
 * Validates arguments.
 * @returns the declared arguments with defaults filled in, in the order of the schema
 * @throws WorkspaceError invalid_request, with every invalid field and every argument of `refusedArguments`
 */
export function parseInput(
  tool: Pick<AnyTool, 'name' | 'annotations' | 'mistakenNames' | 'input'>,
  args: unknown,
): Fields {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new WorkspaceError(
      'invalid_request',
      'The input must be a JSON object with the fields of this call.',
      {
        errors: [{ path: '', message: 'must be a JSON object' }],
      },
    );
  }
  const present = Object.entries(args).filter(([, value]) => value !== null);
  const refused = refusedArguments(
    tool,
    present.map(([name]) => name),
  );
  const parsed = tool.input.safeParse(Object.fromEntries(present));
  if (parsed.success && refused.length === 0) return parsed.data;
  throw invalidRequestError([...refused, ...(parsed.error?.issues ?? []).map(toFieldError)]);
}

/**
 * Runs a tool on the result of `parseInput`.
 * @param ignored an output field of writes
 * @throws WorkspaceError only
 */
export async function runTool(
  tool: AnyTool,
  input: Fields,
  context: Context,
  ignored: readonly string[] = [],
): Promise<Fields> {
  try {
    const output: object = await tool.handle(input, context);
    return tool.output.parse({ ...output, ignored });
  } catch (error) {
    throw toWorkspaceError(error);
  }
}

const toFieldError = ({ path, message }: z.core.$ZodIssue): FieldError => ({ path: path.join('.'), message });
