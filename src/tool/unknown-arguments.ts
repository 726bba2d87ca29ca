import type { FieldError } from '#workspace/errors.ts';
import type { AnyTool } from './define-tool.ts';

/** Names in an error or in `ignored`; later ones are left out. */
const MAX_NAMES = 20;

const MAX_NAME_CHARACTERS = 40;

/** Everything that no argument of a program is named with. */
const STRANGE = /(?:\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}_.$:@/-])+/gu;

/** Some hosts add it to every call. */
const HOST_ARGUMENT = 'toolCallId';

/** The part of a tool that decides which arguments it takes. */
type Taker = Pick<AnyTool, 'name' | 'annotations' | 'mistakenNames'> & {
  readonly input: { readonly shape: object };
};

/**
 * Unknown arguments that a call fails for. A read fails for each, since the caller believes that it filters. A write
 * tolerates them, unless one looks like an argument of the tool: a reply target that is dropped begins a new thread for
 * good.
 * @param names of the arguments that have a value
 */
export function refusedArguments(tool: Taker, names: readonly string[]): FieldError[] {
  const known = Object.keys(tool.input.shape);
  const refused = unknownOf(tool, names).flatMap((name): FieldError[] => {
    const meant = meantBy(tool, name);
    if (meant !== undefined)
      return [{ path: printable(name), message: `is not an argument of ${tool.name}: send it as ${meant}` }];
    if (!tool.annotations.readOnlyHint || name === HOST_ARGUMENT) return [];
    const taken = known.length === 0 ? 'no arguments' : listOf(known);
    return [{ path: printable(name), message: `is not an argument of ${tool.name}, which takes ${taken}` }];
  });
  return refused.slice(0, MAX_NAMES);
}

/**
 * Names in the query of a write that mean one of its arguments: no write reads its query, so the argument would be lost.
 * @param names of the query; others are tolerated, as in the body
 * @param inPath names of the arguments that the path gives
 */
export function argumentsInQuery(
  tool: Taker,
  names: readonly string[],
  inPath: readonly string[],
): FieldError[] {
  const misplaced = names.flatMap((name): FieldError[] => {
    const meant = meantBy(tool, name);
    if (meant === undefined) return [];
    const mend = inPath.includes(meant)
      ? 'leave it out, the path gives it'
      : `send it as ${meant} in the body`;
    return [{ path: printable(name), message: `is in the query, which a write does not read: ${mend}` }];
  });
  return misplaced.slice(0, MAX_NAMES);
}

/** @returns the names of the arguments that a write does not know, as a receipt lists them */
export function ignoredArguments(tool: Taker, names: readonly string[]): string[] {
  return unknownOf(tool, names).slice(0, MAX_NAMES).map(printable);
}

function unknownOf(tool: Taker, names: readonly string[]): readonly string[] {
  return names.filter((name) => !Object.hasOwn(tool.input.shape, name));
}

/** @returns the argument that differs only in case, `_` and `-`, or that the tool lists the name for */
function meantBy(tool: Taker, name: string): string | undefined {
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const loose = toLoose(name);
  return (
    Object.keys(tool.input.shape).find((known) => toLoose(known) === loose) ??
    Object.entries(tool.mistakenNames ?? {}).find(([, names]) =>
      names.some((other) => toLoose(other) === loose),
    )?.[0]
  );
}

const toLoose = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** @returns the name without anything that could read as a sentence or control a terminal */
function printable(name: string): string {
  const plain = name.slice(0, 2 * MAX_NAME_CHARACTERS).replaceAll(STRANGE, '_');
  if (plain === '') return '""';
  const characters = Array.from(plain);
  const isCut = characters.length > MAX_NAME_CHARACTERS || name.length > 2 * MAX_NAME_CHARACTERS;
  return isCut ? `${characters.slice(0, MAX_NAME_CHARACTERS).join('')}…` : plain;
}

function listOf(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
