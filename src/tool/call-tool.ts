import {
  invalidRequestError,
  refuseArguments,
  toWorkspaceError,
  WorkspaceError,
  type FieldError,
} from '#workspace/service/errors.ts';
import { NOTICE, sayExample } from '#workspace/protocol/protocol-content.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import type * as z from 'zod';
import { AUTHOR_KEY, isPrivateCall, type AnyTool, type Context, type Fields } from './define-tool.ts';
import {
  type ArgumentRules,
  ignoredArguments,
  MAX_ARGUMENTS,
  misnamedWarnings,
  printable,
  unknownErrors,
} from './unknown-arguments.ts';

/**
 * Validates the arguments, runs the tool and validates the output.
 * @returns the declared output fields. `ignored` of a write names the unknown arguments, and `warnings`, if
 *   the output declares them, says which arguments were probably meant
 * @throws WorkspaceError only
 */
export async function callTool(tool: AnyTool, args: unknown, context: Context): Promise<Fields> {
  const input = parseInput(tool, args);
  // `parseInput` throws unless the arguments are an object.
  const names = Object.entries(args as object).flatMap(([name, value]) => (value === null ? [] : [name]));
  const output = await runTool(tool, input, context, ignoredArguments(tool, names));
  if (!('warnings' in output)) return output;
  const warnings = [...blankKeyWarnings(args as Fields, output), ...(output['warnings'] as string[])];
  return { ...output, warnings: [...warnings, ...misnamedWarnings(tool, names)] };
}

/** Warns of a blank key, which counts as absent because many hosts send every field of a form. */
function blankKeyWarnings({ [AUTHOR_KEY]: key }: Fields, { signer }: Fields): string[] {
  const isBlank = typeof key === 'string' && key.trim() === '' && signer === undefined;
  return isBlank ? ['Your authorKey was blank, so your message is not signed: send the whole key'] : [];
}

/** One more than the UTF-16 code units of the longest valid argument, a message of 8,000 characters. */
const MAX_TEXT = 2 * MAX_LENGTHS.message + 1;

/**
 * Checks the number of arguments first, and their lengths before it searches them.
 * @returns the declared arguments with defaults, in the order of the schema
 * @throws WorkspaceError invalid_request, with every invalid field; looks_like_secret, with every argument
 *   that holds an author key and is not meant for one
 */
export function parseInput<Input extends z.ZodObject>(
  tool: ArgumentRules & { readonly input: Input },
  args: unknown,
): z.output<Input> {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw inputError('must be a JSON object', ' with the arguments of this call');
  // A Map, since a caller may send `constructor`.
  const fields = new Map<string, z.core.$ZodType>(Object.entries(tool.input.shape));
  const present = Object.entries(args).filter(([name, value]) => !isAbsent(value, fields.get(name)));
  if (present.length > MAX_ARGUMENTS)
    throw inputError(
      `has ${present.length} arguments and may have at most ${MAX_ARGUMENTS}: leave out ` +
        `${present.length - MAX_ARGUMENTS}`,
    );
  refuseAuthorKeys(present, tool.input.shape);
  const parsed = tool.input.safeParse(Object.fromEntries(present));
  const names = present.map(([name]) => name);
  const unknown = unknownErrors(tool, names, parsed.success);
  if (parsed.success && unknown.length === 0) return parsed.data;
  throw invalidRequestError([...unknown, ...(parsed.error?.issues ?? []).map(toFieldError)]);
}

/** Treats null as absent, and an empty string for an optional argument: many hosts send every form field. */
export function isAbsent(value: unknown, field: z.core.$ZodType | undefined): boolean {
  return value === null || (value === '' && field?._zod.optin !== undefined);
}

function inputError(message: string, more = ''): WorkspaceError {
  const errors = [{ path: '', message }];
  return new WorkspaceError('invalid_request', `The input ${message}${more}.`, { errors });
}

/**
 * Refuses an author key in any argument but its own, because it would be published, searched for or repeated.
 * A string or list that exceeds every limit is not searched: the schema refuses it for its length.
 */
function refuseAuthorKeys(args: readonly (readonly [string, unknown])[], shape: object): void {
  // All valid arguments of a tool together are shorter than this.
  let left = 2 * MAX_TEXT;
  const holdsKey = (value: unknown): boolean => {
    const { length } = typeof value === 'string' || Array.isArray(value) ? value : [];
    if (length >= Math.min(left, MAX_TEXT)) return false;
    left -= length + 1;
    return typeof value === 'string' ? holdsAuthorKey(value) : Array.isArray(value) && value.some(holdsKey);
  };
  const isKnown = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(shape, name);
  const inOrder = [...args.filter(isKnown), ...args.filter((one) => !isKnown(one))];
  const errors = inOrder.flatMap(([name, value]): FieldError[] => {
    return name === AUTHOR_KEY || !holdsKey(value) ? [] : [{ path: printable(name), message: HOLDS_KEY }];
  });
  refuseArguments('looks_like_secret', errors);
}

const HOLDS_KEY = 'contains what looks like an author key, which belongs only in authorKey: remove it';

/**
 * @param input of `parseInput`
 * @param shared the output without the fields of a private call, if it is known already
 * @throws WorkspaceError only
 */
export async function runTool(
  tool: AnyTool,
  input: Fields,
  context: Context,
  ignored: readonly string[] = [],
  shared?: Fields,
): Promise<Fields> {
  try {
    const all = shared ?? (await tool.handle(input, context));
    const added = isPrivateCall(tool, input) ? await tool.private?.fields?.(input, context) : undefined;
    const output = { ...all, ...added };
    const { service } = context.workspace;
    if (service.isExample !== true) return tool.output.parse({ ignored, ...output });
    // Added here, so that no tool can forget it. It comes first, even if the output does not declare it.
    const notice = sayExample(service, NOTICE);
    return { notice, ...tool.output.parse({ ...output, notice, ignored }) };
  } catch (error) {
    throw toWorkspaceError(error);
  }
}

const toFieldError = ({ path, message }: z.core.$ZodIssue): FieldError => ({ path: path.join('.'), message });
