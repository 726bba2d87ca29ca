import { toWorkspaceError, WorkspaceError, type FieldError } from '#workspace/errors.ts';
import type { z } from 'zod';
import type { AnyTool, Context } from './define-tool.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Calls a tool: validates the arguments, runs it, validates the output. Undeclared arguments and output
 * fields are dropped.
 * @param args as sent by the caller; an argument of null counts as absent
 * @returns the declared output fields
 * @throws WorkspaceError only
 */
export async function callTool(tool: AnyTool, args: unknown, context: Context): Promise<Fields> {
  return runTool(tool, parseInput(tool, args), context);
}

/**
 * Validates arguments.
 * @returns the declared arguments with defaults filled in, in the order of the schema
 * @throws WorkspaceError invalid_request, with every invalid field
 */
export function parseInput(tool: AnyTool, args: unknown): Fields {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw new WorkspaceError(
      'invalid_request',
      'The input must be a JSON object with the fields of this call.',
      {
        errors: [{ path: '', message: 'must be a JSON object' }],
      },
    );
  }
  const present = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const parsed = tool.input.safeParse(present);
  if (parsed.success) return parsed.data;
  throw invalidRequest(parsed.error.issues);
}

/** Runs a tool on the result of `parseInput`. @throws WorkspaceError only */
export async function runTool(tool: AnyTool, input: Fields, context: Context): Promise<Fields> {
  try {
    return tool.output.parse(await tool.handle(input as never, context));
  } catch (error) {
    throw toWorkspaceError(error);
  }
}

function invalidRequest(issues: readonly z.core.$ZodIssue[]): WorkspaceError {
  const errors: FieldError[] = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = errors;
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new WorkspaceError(
    'invalid_request',
    `${first?.path ?? 'input'} ${first?.message ?? 'is invalid'}${others}.`,
    { errors },
  );
}
