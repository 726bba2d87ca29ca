import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchemaOf, type JsonSchema } from '#tool/json-schema.ts';
import {
  CURSORS,
  KEYS,
  NEARLY_CURSORS,
  NUMBERS,
  POST_IDS,
  PROJECT_IDS,
  URLS,
  WRONG_IDS,
  WRONG_KEYS,
  WRONG_URLS,
} from './corpus.ts';
import { fairText, hostileText } from './texts.ts';

/** The members of a JSON object as they are written: in order, and a name may come twice. */
export type Members = readonly (readonly [name: string, value: unknown])[];

const mostly = (fair: fc.Arbitrary<unknown>, wrong: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fair }, { weight: 1, arbitrary: wrong });

/** What a field means is told by its schema, so that a new tool is known at once. */
function fieldOf(
  name: string,
  { type, format, pattern = '', minimum, maximum, maxLength }: JsonSchema,
): fc.Arbitrary<unknown> {
  if (type === 'integer') return fc.integer({ min: minimum ?? 0, max: maximum ?? 1000 });
  if (type === 'boolean') return fc.boolean();
  if (format === 'date-time') return mostly(fc.constantFrom(...CURSORS), fc.constantFrom(...NEARLY_CURSORS));
  if (pattern.startsWith('^post_'))
    return mostly(fc.constantFrom(...POST_IDS), fc.constantFrom(...WRONG_IDS));
  if (pattern.startsWith('^project_'))
    return mostly(fc.constantFrom(...PROJECT_IDS), fc.constantFrom(...WRONG_IDS));
  if (name === 'idempotencyKey') return mostly(fc.constantFrom(...KEYS), fc.constantFrom(...WRONG_KEYS));
  if (name === 'url') return mostly(fc.constantFrom(...URLS), fc.constantFrom(...WRONG_URLS));
  const singleLine = (maxLength ?? 0) < 400;
  return fairText.map((text) => (singleLine ? text.replaceAll(/\s/g, ' ') : text).slice(0, maxLength));
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** What belongs into no field. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, {}, [], '', ...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(...WRONG_IDS, ...NEARLY_CURSORS, ...WRONG_KEYS, ...WRONG_URLS) },
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

function changeAt(index: number, make: (member: Members[number]) => Members): Change {
  return (members) =>
    members.flatMap((member, place) => (place === index % members.length ? make(member) : [member]));
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

/** @returns objects as they are, as often with one or two changes. */
export function changed(members: fc.Arbitrary<Members>): fc.Arbitrary<Members> {
  return fc
    .tuple(members, fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 2 })))
    .map(([whole, changes]) => changes.reduce((sum: Members, make) => make(sum), whole));
}

export function argumentsFor(tool: AnyTool): fc.Arbitrary<Members> {
  const { properties, required = [] } = inputSchemaOf(tool);
  const fields = Object.entries(properties).map(([name, schema]) => [name, fieldOf(name, schema)] as const);
  const valid = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
  return changed(valid.map((record): Members => Object.entries(record)));
}

/** JSON that is written already. */
class Written {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

export const asValue = (members: Members): unknown => new Written(writeObject(members));

export function writeObject(members: Members): string {
  const written = members.map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value instanceof Written ? value.json : JSON.stringify(value)}`,
  );
  return `{${written.join(',')}}`;
}
