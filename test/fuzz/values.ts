import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchema, type JsonSchema } from '#tool/json-schema.ts';
import {
  CURSORS,
  KEYS,
  INVALID_CURSORS,
  NUMBERS,
  POST_IDS,
  PROJECT_IDS,
  URLS,
  UNKNOWN_IDS,
  INVALID_KEYS,
  INVALID_URLS,
} from './corpus.ts';
import { mostlyValidText, hostileText } from './texts.ts';

/** The members of a JSON text: ordered, and names may repeat. */
export type Members = readonly (readonly [name: string, value: unknown])[];

const mostlyValid = (valid: fc.Arbitrary<unknown>, invalid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: invalid });

/** Values by the schema of a field, so that a new tool is fuzzed without a change here. */
function fieldOf(
  name: string,
  { type, format, pattern = '', minimum, maximum, maxLength }: JsonSchema,
): fc.Arbitrary<unknown> {
  if (type === 'integer') return fc.integer({ min: minimum ?? 0, max: maximum ?? 1000 });
  if (type === 'boolean') return fc.boolean();
  if (format === 'date-time')
    return mostlyValid(fc.constantFrom(...CURSORS), fc.constantFrom(...INVALID_CURSORS));
  if (pattern.startsWith('^post_'))
    return mostlyValid(fc.constantFrom(...POST_IDS), fc.constantFrom(...UNKNOWN_IDS));
  if (pattern.startsWith('^project_'))
    return mostlyValid(fc.constantFrom(...PROJECT_IDS), fc.constantFrom(...UNKNOWN_IDS));
  if (name === 'idempotencyKey')
    return mostlyValid(fc.constantFrom(...KEYS), fc.constantFrom(...INVALID_KEYS));
  if (name === 'url') return mostlyValid(fc.constantFrom(...URLS), fc.constantFrom(...INVALID_URLS));
  const singleLine = (maxLength ?? 0) < 400;
  return mostlyValidText.map((text) => (singleLine ? text.replaceAll(/\s/g, ' ') : text).slice(0, maxLength));
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Values that no field accepts. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, {}, [], '', ...NUMBERS) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...UNKNOWN_IDS, ...INVALID_CURSORS, ...INVALID_KEYS, ...INVALID_URLS),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map(nested) },
);

export const hostileName = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'then',
    'toString',
    'toJSON',
    'id',
    'createdAt',
    'limit',
    'visitor',
    '',
    '0',
    'length',
  ),
  hostileText,
);

type Change = (members: Members) => Members;

function changeAt(index: number, change: (member: Members[number]) => Members): Change {
  return (members) =>
    members.flatMap((member, position) => (position === index % members.length ? change(member) : [member]));
}

const change: fc.Arbitrary<Change> = fc.nat({ max: 7 }).chain(
  (index): fc.Arbitrary<Change> =>
    fc.oneof(
      { weight: 2, arbitrary: fc.constant(changeAt(index, () => [])) },
      { weight: 1, arbitrary: fc.constant(changeAt(index, ([name]) => [[name, null]])) },
      { weight: 6, arbitrary: hostileValue.map((value) => changeAt(index, ([name]) => [[name, value]])) },
      {
        weight: 1,
        arbitrary: hostileValue.map((value) => changeAt(index, (member) => [member, [member[0], value]])),
      },
      { weight: 1, arbitrary: hostileName.map((name) => changeAt(index, ([, value]) => [[name, value]])) },
      {
        weight: 2,
        arbitrary: fc.tuple(hostileName, hostileValue).map(
          (added): Change =>
            (members) => [...members, added],
        ),
      },
    ),
);

/** Half of the objects unchanged, half with one or two changes. */
export function changed(members: fc.Arbitrary<Members>): fc.Arbitrary<Members> {
  return fc
    .tuple(members, fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 2 })))
    .map(([whole, changes]) => changes.reduce((sum: Members, change) => change(sum), whole));
}

export function argumentsFor(tool: AnyTool): fc.Arbitrary<Members> {
  const { properties, required = [] } = inputSchema(tool);
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldOf(name, schema)] as const);
  const valid = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
  return changed(valid.map((record): Members => Object.entries(record))).map((members) =>
    withoutWait(tool, members),
  );
}

/** A call that waits for minutes would end the campaign: what is valid and above 0 becomes 0. */
function withoutWait({ waiting }: AnyTool, members: Members): Members {
  if (waiting === undefined) return members;
  const { secondsArgument } = waiting;
  const isWait = ([name, value]: Members[number]): boolean =>
    name === secondsArgument && (value === null || (Number.isInteger(value) && (value as number) > 0));
  const others = members.filter((member) => !isWait(member));
  return others.some(([name]) => name === secondsArgument) ? others : [...others, [secondsArgument, 0]];
}

/** A member value that is JSON text already. */
class WrittenJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

export const toWrittenJson = (members: Members): unknown => new WrittenJson(writeObject(members));

export function writeObject(members: Members): string {
  const written = members.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value instanceof WrittenJson ? value.json : JSON.stringify(value)}`,
  );
  return `{${written.join(',')}}`;
}
