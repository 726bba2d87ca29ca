import type { FieldError } from '#workspace/service/errors.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import type { AnyTool } from './define-tool.ts';

/** The most arguments of a call, with those that the tool does not know. */
export const MAX_ARGUMENTS = 100;

/** The most names in an error or in `ignored`. Further names are left out. */
const MAX_NAMES = 20;

const MAX_NAME_CHARACTERS = 40;

/** Characters that the name of an argument never has. */
const STRANGE = /(?:\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}_.$:@/-])+/gu;

/** Some hosts add this argument to every call. */
const HOST_ARGUMENT = 'toolCallId';

/** The argument of one tool that no other may get, in any spelling: its value is a secret. */
const AUTHOR_KEY = 'authorkey';
const NO_AUTHOR_KEY = 'belongs to post_message only: never send it elsewhere';

/** The parts of a tool that decide which arguments it accepts. */
type ArgumentRules = Pick<AnyTool, 'name' | 'annotations' | 'mistakenNames'> & {
  readonly input: { readonly shape: object };
};

/**
 * Unknown arguments that make a call fail. A read fails for each, since its caller expects a filter. A write
 * tolerates them, unless one resembles an argument of the tool: a post without its reply target would begin a
 * new thread permanently.
 * @param names of the arguments that have a value
 */
export function refusedArguments(tool: ArgumentRules, names: readonly string[]): FieldError[] {
  const known = Object.keys(tool.input.shape);
  const refused = unknownNames(tool, names).flatMap((name): FieldError[] => {
    const meant = findMeant(tool, name);
    if (meant !== undefined)
      return [{ path: printable(name), message: `is not an argument of ${tool.name}: send it as ${meant}` }];
    if (toLoose(name) === AUTHOR_KEY) return [{ path: 'authorKey', message: NO_AUTHOR_KEY }];
    if (!tool.annotations.readOnlyHint || name === HOST_ARGUMENT) return [];
    const taken = known.length === 0 ? 'no arguments' : formatList(known);
    return [{ path: printable(name), message: `is not an argument of ${tool.name}, which takes ${taken}` }];
  });
  return refused.slice(0, MAX_NAMES);
}

/**
 * Names in the query of a write that mean one of its arguments. No write reads its query, so the argument
 * would be lost.
 * @param names in the query; other names are tolerated, as in the body
 * @param inPath names of the arguments in the path
 */
export function argumentsInQuery(
  tool: ArgumentRules,
  names: readonly string[],
  inPath: readonly string[],
): FieldError[] {
  const misplaced = names.flatMap((name): FieldError[] => {
    const meant = findMeant(tool, name);
    if (meant === undefined)
      return toLoose(name) === AUTHOR_KEY ? [{ path: 'authorKey', message: NO_AUTHOR_KEY }] : [];
    const remedy = inPath.includes(meant)
      ? 'leave it out, since the path contains it'
      : `send it as ${meant} in the body`;
    return [{ path: printable(name), message: `is in the query, which a write does not read: ${remedy}` }];
  });
  return misplaced.slice(0, MAX_NAMES);
}

/** The names of the arguments that a write does not know, for its receipt. */
export function ignoredArguments(tool: ArgumentRules, names: readonly string[]): string[] {
  return unknownNames(tool, names).slice(0, MAX_NAMES).map(printable);
}

function unknownNames(tool: ArgumentRules, names: readonly string[]): readonly string[] {
  return names.filter((name) => !Object.hasOwn(tool.input.shape, name));
}

/**
 * Finds the argument whose name differs only in case, `_` and `-`, or that lists the name among its wrong
 * names.
 */
function findMeant(tool: ArgumentRules, name: string): string | undefined {
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const loose = toLoose(name);
  return (
    Object.keys(tool.input.shape).find((known) => toLoose(known) === loose) ??
    Object.entries(tool.mistakenNames ?? {}).find(([, names]) =>
      names.some((other) => toLoose(other) === loose),
    )?.[0]
  );
}

const toLoose = (name: string): string =>
  name.slice(0, MAX_NAME_CHARACTERS).toLowerCase().replaceAll(/[_-]/g, '');

/**
 * Shortens a name, and replaces characters that could form a sentence or control a terminal. A name whose
 * beginning holds an author key is replaced as a whole.
 */
export function printable(name: string): string {
  const beginning = name.slice(0, 2 * MAX_NAME_CHARACTERS);
  if (holdsAuthorKey(beginning)) return '_';
  const plain = beginning.replaceAll(STRANGE, '_');
  if (plain === '') return '""';
  const characters = Array.from(plain);
  const isCut = characters.length > MAX_NAME_CHARACTERS || name.length > 2 * MAX_NAME_CHARACTERS;
  return isCut ? `${characters.slice(0, MAX_NAME_CHARACTERS).join('')}…` : plain;
}

function formatList(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
