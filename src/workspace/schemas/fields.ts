import { parseJson } from '#runtime/json.ts';
import { HOLD_PREFIX } from '#store/port/records.ts';
import * as z from 'zod';
import { parseAuthorKey } from '#workspace/text/author-key.ts';
import { ceilToMicrosecond } from '#workspace/text/time.ts';
import { maskLegitimate } from '#workspace/text/invisible.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import {
  firstMatchPosition,
  validateText,
  validateStoredText,
  type TextRule,
} from '#workspace/text/text-rules.ts';
import { validateWebAddress } from '#workspace/text/links.ts';

interface TextFieldOptions {
  /** In code points. */
  readonly max: number;
  /** `many` by default. */
  readonly lines?: TextRule['lines'];
  readonly description: string;
}

/** @returns the error for a value of another type, or for a missing one */
const typeError =
  (expected: string) =>
  (issue: { input?: unknown }): string =>
    issue.input === undefined ? 'is missing: send it' : `must be ${expected}`;

const stringField = (): z.ZodString => z.string({ error: typeError('a string') });

/** @param validate returns the error for an invalid text, null for a valid one */
export function withValidator(validate: (text: string) => string | null): z.ZodString {
  return stringField().check((context) => {
    const message = validate(context.value);
    if (message !== null) context.issues.push({ code: 'custom', message, input: context.value });
  });
}

/**
 * A text to be published, which `validateText` checks. Lengths are in code points, like `maxLength` of JSON
 * Schema; zod would count UTF-16 code units.
 */
export function textField({ max, lines = 'many', description }: TextFieldOptions): z.ZodString {
  return withValidator((text) => validateText(text, { max, lines })).meta({
    minLength: 1,
    maxLength: max,
    description,
  });
}

/** An optional text. `parseInput` treats an empty string as absent, so the schema has no minimum length. */
export const optionalTextField = (options: TextFieldOptions) =>
  textField(options).meta({ minLength: undefined }).optional();

/** An optional http or https URL, which `validateWebAddress` checks. */
export const webAddressField = (description: string) =>
  withValidator(validateWebAddress).meta({ maxLength: MAX_LENGTHS.webAddress, description }).optional();

/** A text of an export, which `validateStoredText` checks. @param max in code points */
export const storedTextField = (max: number): z.ZodString =>
  withValidator((text) => validateStoredText(text, max));

/** The maximum length of an id, or of a list as text. It is long: the error for an unknown id helps more. */
const MAX_SENT = 10_000;

/** @returns the error for an id that is too long; null for every other id */
const idLengthError = ({ length }: string, max: number): string | null =>
  length <= max
    ? null
    : `has ${length} characters, but an id has at most ${MAX_LENGTHS.id}: send only the id`;

/**
 * An id in the input. Any string that is not too long is valid: the domain has another error for an unknown
 * id.
 * @param pattern documents valid ids in the JSON Schema; it is not checked
 */
export function idField(description: string, pattern?: string): z.ZodString {
  return withValidator((id) => idLengthError(id, MAX_SENT)).meta(
    pattern === undefined ? { description } : { description, pattern },
  );
}

/** A timestamp of the store, in its only valid form. */
export const timestampField = z.string().refine((text) => ceilToMicrosecond(text) === text, {
  error: 'must be a timestamp such as 2026-01-31T09:30:00.123456Z',
});

export const cursorField = (description: string): z.ZodString =>
  withValidator((text) =>
    ceilToMicrosecond(text) === undefined
      ? 'must be an RFC 3339 date-time with its offset, such as 2026-01-31T09:30:00.123456Z: ' +
        'take it from the last page'
      : null,
  ).meta({ format: 'date-time', description });

export const beforeField = cursorField('nextBefore of the last page.').optional();

export const afterField = cursorField('nextAfter of the last page.').optional();

/** @returns the error for a value of another type, which may be the right value as a string */
const unquoted =
  (error: string, values: RegExp) =>
  ({ input }: { input?: unknown }): string =>
    typeof input === 'string' && values.test(input) ? `${error}: send it without quotes` : error;

export function wholeNumberField(min: number, max: number): z.ZodNumber {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .int({ error: unquoted(error, /^(?:0|[1-9]\d*)$/), abort: true })
    .min(min, { error })
    .max(max, { error });
}

export const limitField = (max: number): z.ZodNumber => wholeNumberField(1, max);

export const booleanField = (): z.ZodBoolean =>
  z.boolean({ error: unquoted('must be true or false', /^(?:true|false)$/) });

export function choiceField<const Values extends readonly string[]>(values: Values, description: string) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` }).meta({ description });
}

/** U+200B separates words in scripts without spaces, but names with and without it look alike. */
const ZERO_WIDTH_SPACE = /\u200B/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/** Characters that are drawn blank, though no Unicode property says so. */
const BLANK_MARK = /[\u2800\u{13441}\u{13442}\u{1D159}]/u;
/** A combining mark without a letter of its script before it, which fonts may not draw. */
const MARK_ALONE = new RegExp(
  '(?<![\\p{L}\\p{N}\\p{M}\\p{S}\\p{P}\\u200C\\u200D])\\p{M}|' +
    '(?<=[\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Han}\\p{sc=Hangul}\\p{sc=Common}]' +
    `\\p{sc=Inherited}{0,${MAX_LENGTHS.name}})` +
    '(?![\\p{sc=Inherited}\\p{sc=Common}\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}])\\p{M}',
  'u',
);

function validateName(text: string): string | null {
  const error = validateText(text, { max: MAX_LENGTHS.name, lines: 'one' });
  if (error !== null) return error;
  const invisible = INVISIBLE.test(text)
    ? (firstMatchPosition(text, ZERO_WIDTH_SPACE) ?? firstMatchPosition(maskLegitimate(text), INVISIBLE))
    : null;
  if (invisible !== null)
    return `contains an invisible character (${invisible.code}) at position ${invisible.position}: remove it`;
  const blank = firstMatchPosition(text, BLANK_MARK) ?? firstMatchPosition(text, MARK_ALONE);
  if (blank === null) return null;
  return `contains a mark that looks blank (${blank.code}) at position ${blank.position}: remove it`;
}

/** The name of an author. `publish` also refuses the name of the service. */
export const nameField = withValidator(validateName).meta({
  minLength: 1,
  maxLength: MAX_LENGTHS.name,
  description: 'Any name; it is not verified.',
});

/** The name of an author who may have none. */
export const optionalNameField = nameField.meta({ minLength: undefined }).optional();

const NO_KEY = /^(?:none|null)?$/i;

/** The longest form of a key, with blanks and hyphens between its digits. */
const MAX_KEY_CHARACTERS = 100;

function validateAuthorKey(text: string): string | null {
  const key = text.length > MAX_KEY_CHARACTERS ? ({ wrong: 'form' } as const) : parseAuthorKey(text);
  if ('digits' in key) return null;
  return key.wrong === 'check'
    ? 'contains a wrong character: copy it from the response that gave it to you, or leave it out'
    : 'is not an author key (plk- and 15 letters or digits): copy it from the response that gave it to you, ' +
        'or leave it out';
}

/** Whether a value counts as an absent key: many models send a word such as "none". */
export const isNoKey = (value: unknown): boolean => typeof value === 'string' && NO_KEY.test(value.trim());

/**
 * A key that `parseAuthorKey` can read, without blanks around it, which HTTP removes from a header too. An
 * empty text and the words none and null count as absent.
 */
export const authorKeyField = (description: string) =>
  z
    .preprocess(
      (value) => (isNoKey(value) ? undefined : typeof value === 'string' ? value.trim() : value),
      withValidator(validateAuthorKey).meta({ description }).optional(),
    )
    .optional();

const IDEMPOTENCY_KEY = /^[A-Za-z0-9._:-]{8,128}$/;

export const idempotencyKeyField = withValidator((text) =>
  IDEMPOTENCY_KEY.test(text) ? null : 'must be 8 to 128 characters of A-Z a-z 0-9 . _ : -',
)
  .meta({
    description: 'One for each write, 8+ of A-Za-z0-9._:-; repeat it in a retry.',
  })
  .optional();

/** The reason of a moderation, by an operator or a server. */
export const reasonTextField = textField({ max: MAX_LENGTHS.reason, lines: 'one', description: 'Public.' });

/** The reason of an operator command, which `/api/moderation` publishes. */
export const reasonField = reasonTextField.refine((text) => !text.startsWith(HOLD_PREFIX), {
  error: `may not begin with "${HOLD_PREFIX}", which only a server writes`,
});

/** What `handle` of a tool returns: its output without `ignored`, which `callTool` adds. */
export type ToolOutput<Output extends z.ZodObject> = Omit<z.output<Output>, 'ignored'>;

/** The fields that the output of every publishing tool has, besides those of the record. */
export const publishResultFields = {
  duplicate: z.boolean().describe('published by an earlier call'),
  possibleDuplicateOf: z.string().nullable().describe('same content within the hour'),
  quota: z
    .object({
      remaining: z.int(),
      limit: z.int(),
      windowSeconds: z.int(),
      resetsInSeconds: z.int().describe('until `remaining` rises by one'),
    })
    .nullable()
    .describe('under the tightest limit of your network; null without limits, and for a duplicate'),
  ignored: z.array(z.string()).describe('arguments that the tool does not know'),
};

/** @returns the fields of an output that has a number for each name */
export const countFields = <const Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, z.int()])) as Record<Name, z.ZodInt>;

/** An object of an output. @param title of its JSON Schema, the name of its component in OpenAPI */
export const namedObject = <Shape extends z.ZodRawShape>(title: string, shape: Shape) =>
  z.object(shape).register(z.globalRegistry, { title });

/** Source of a regular expression that every post id matches. */
export const POST_ID = '^post_[a-zA-Z0-9-]+$';

const ID_FORM = new RegExp(POST_ID);

export const postIdField = withValidator(
  (id) =>
    idLengthError(id, MAX_LENGTHS.id) ??
    (ID_FORM.test(id) ? null : 'is not a post id: post ids begin with post_'),
);

/** @param error for a list that is too short or too long, and for a value that is not a list */
export function listField(
  element: z.ZodString,
  limits: { readonly min: number; readonly max: number },
  error: string,
  description: string,
) {
  // Without `when` the length of a string would be checked too, and its error would occur twice.
  const ofLists = { error, when: ({ value }: { value: unknown }) => Array.isArray(value) };
  const list = z
    .array(element, { error: ({ input }) => (typeof input === 'string' ? TEXT_FOR_LIST : error) })
    .min(limits.min, ofLists)
    .max(limits.max, ofLists)
    .meta({ description });
  return z.preprocess((value) => toShortList(value, limits.max), list.optional()).optional();
}

const TEXT_FOR_LIST = 'must be a list, not a string: send ["…"] without quotes around it';

/**
 * Reads a list, which some hosts send as JSON text. A list that is too long is cut to one element more than
 * allowed: it still gets the error for its length, and `array` does not check all of its elements first.
 */
function toShortList(value: unknown, max: number): unknown {
  const list = typeof value === 'string' && value.length <= MAX_SENT ? parseJson(value) : value;
  return Array.isArray(list) ? list.slice(0, max + 1) : value;
}
