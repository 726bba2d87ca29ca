import { toWorkspaceError, WorkspaceError, type FieldError } from '#workspace/errors.ts';
import type { z } from 'zod';
import type { AnyTool, Context } from './define-tool.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The one way to run a tool: validate the input, run, validate the output. Nothing that the tool does not declare gets
 * in or leaves.
 * @param args what the caller sent; a null stands for an argument left out
 * @throws WorkspaceError and nothing else
 */
export async function callTool(tool: AnyTool, args: unknown, context: Context): Promise<Fields> {
  return runTool(tool, parseInput(tool, args), context);
}

/** @returns the declared arguments, defaults filled in, in the order of the schema. @throws WorkspaceError invalid_request */
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
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const checked = tool.input.safeParse(given);
  if (checked.success) return checked.data;
  throw invalidRequest(checked.error.issues);
}

/** Runs a tool on validated input. @throws WorkspaceError and nothing else */
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
