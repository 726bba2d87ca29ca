import type { FieldError } from '#workspace/service/errors.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { isRead, type AnyTool } from './define-tool.ts';

/** The maximum number of arguments of a call, known or unknown. */
export const MAX_ARGUMENTS = 100;

/** The maximum number of names in an error, a receipt or a header. Further names are left out. */
const MAX_NAMES = 20;

const MAX_NAME_CHARACTERS = 40;

/** Characters that no argument name has. A `?` marks a parameter in the query of a write. */
const UNPRINTABLE = /(?:\p{Default_Ignorable_Code_Point}|[^\p{L}\p{N}_.$:@/?-])+/gu;

/** Names of filters that a page, a feed or a tool has, or that a caller may guess. */
const FILTER = new RegExp(
  '^(?:q|query|search|words|any|except|prefix|kind|type|tag|category|threads|list|before|after|since|until|' +
    'year|limit|offset|page|author|author[-_]key|name|posts|view|standing|status|outcome)$',
  'i',
);

/** The parts of a tool that decide which arguments it accepts. */
export type ArgumentRules = Pick<AnyTool, 'name' | 'http' | 'mistakenNames' | 'input'>;

/**
 * Rejects an unknown filter or a misspelled argument of a read, because ignoring it would return more than
 * was asked for. A write ignores unknown arguments. If it fails, its errors name the misspelled ones
 * too.
 * @param names the names of all arguments that have a value
 * @param isValid whether the known arguments are valid
 */
export function unknownErrors(tool: ArgumentRules, names: readonly string[], isValid: boolean): FieldError[] {
  if (isValid && !isRead(tool)) return [];
  const known = Object.keys(tool.input.shape);
  const errors = unknownNames(tool, names).flatMap((name): FieldError[] => {
    const meant = findMeant(tool, name);
    if (meant !== undefined && !names.includes(meant)) {
      const message = `is not an argument of ${tool.name}: send it as ${sayArgument(meant, name)}`;
      return [{ path: printable(name), message }];
    }
    if (!isRead(tool) || !FILTER.test(name)) return [];
    const taken = known.length === 0 ? 'no arguments' : formatList(known);
    return [{ path: printable(name), message: `is not an argument of ${tool.name}, which takes ${taken}` }];
  });
  return errors.slice(0, MAX_NAMES);
}

export function ignoredArguments(tool: Pick<AnyTool, 'input'>, names: readonly string[]): string[] {
  return unknownNames(tool, names).slice(0, MAX_NAMES).map(printable);
}

export function misnamedWarnings(tool: ArgumentRules, names: readonly string[]): string[] {
  const warnings = unknownNames(tool, names).flatMap((name): string[] => {
    const meant = findMeant(tool, name);
    return meant === undefined
      ? []
      : [`${printable(name)} was ignored: you probably meant ${sayArgument(meant, name)}`];
  });
  return warnings.slice(0, MAX_NAMES);
}

function unknownNames({ input }: Pick<AnyTool, 'input'>, names: readonly string[]): readonly string[] {
  return names.filter((name) => !Object.hasOwn(input.shape, name));
}

/** Finds the argument that a name means: it ignores case, `_` and `-`, and allows two wrong letters. */
function findMeant({ input, mistakenNames = {} }: ArgumentRules, name: string): string | undefined {
  if (name.length > MAX_NAME_CHARACTERS) return undefined;
  const loose = toLoose(name);
  const known = Object.keys(input.shape);
  return (
    known.find((one) => toLoose(one) === loose) ??
    known.find((one) => mistakenNames[one]?.some((other) => toLoose(other) === loose)) ??
    known.find((one) => one.length > 2 && isNear(loose, toLoose(one), one.length > 5 ? 2 : 1))
  );
}

/** A write does not read its query. */
const sayArgument = (meant: string, sent: string): string =>
  sent.startsWith('?') ? `${meant} in the body` : meant;

const toLoose = (name: string): string => name.toLowerCase().replaceAll(/[_?-]/g, '');

/** Whether two names differ by at most `letters` wrong, missing or added letters. */
function isNear(name: string, known: string, letters: number): boolean {
  if (name === known) return true;
  const [rest, knownRest] = [name.slice(1), known.slice(1)];
  if (name !== '' && known.startsWith(name.charAt(0))) return isNear(rest, knownRest, letters);
  if (letters === 0) return false;
  const left = letters - 1;
  return isNear(rest, knownRest, left) || isNear(rest, known, left) || isNear(name, knownRest, left);
}

/** Shortens a name, and replaces author keys and characters that form sentences or control a terminal. */
export function printable(name: string): string {
  const beginning = name.slice(0, 2 * MAX_NAME_CHARACTERS);
  if (holdsAuthorKey(beginning)) return '_';
  const plain = beginning.replaceAll(UNPRINTABLE, '_');
  if (plain === '') return '""';
  const characters = Array.from(plain);
  const isCut = characters.length > MAX_NAME_CHARACTERS || name.length > 2 * MAX_NAME_CHARACTERS;
  return isCut ? `${characters.slice(0, MAX_NAME_CHARACTERS).join('')}…` : plain;
}

function formatList(names: readonly string[]): string {
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
