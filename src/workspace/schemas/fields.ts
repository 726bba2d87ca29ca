import { z } from 'zod';
import { ceilToMicrosecond } from '#workspace/text/rfc3339.ts';
import { MAX_LENGTHS } from './lengths.ts';
import { validateText, validateStoredText, type TextRule } from '#workspace/text/text-rules.ts';
import { validateStoredWebAddress, validateWebAddress } from '#workspace/text/web-address.ts';

interface TextFieldOptions {
  readonly min?: number;
  readonly max: number;
  readonly lines?: TextRule['lines'];
  readonly description: string;
}

const wrongType =
  (expected: string) =>
  (issue: { input?: unknown }): string =>
    issue.input === undefined ? 'is missing: send it' : `must be ${expected}`;

const string = (): z.ZodString => z.string({ error: wrongType('a string') });

function withValidator(flaw: (text: string) => string | null, schema = string()): z.ZodString {
  return schema.check((context) => {
    const message = flaw(context.value);
    if (message !== null) context.issues.push({ code: 'custom', message, input: context.value });
  });
}

/** A text that others will read. Lengths count code points, as JSON Schema does. */
export function textField({ min = 1, max, lines = 'many', description }: TextFieldOptions): z.ZodString {
  return withValidator((text) => validateText(text, { min, max, lines })).meta({
    minLength: min,
    maxLength: max,
    description,
  });
}

/** An optional text. An empty one counts as absent, since many clients send every field of a form. */
export function optionalTextField(wording: TextFieldOptions) {
  return emptyAsAbsent(textField(wording).meta({ minLength: undefined }));
}

/** An optional http or https address; an empty one counts as absent. */
export function webAddressField(description: string) {
  return emptyAsAbsent(
    withValidator(validateWebAddress).meta({ maxLength: MAX_LENGTHS.webAddress, description }),
  );
}

function emptyAsAbsent(schema: z.ZodString) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional()).optional();
}

/** A text as a store may hold it, whatever the rules for new texts say of it. */
export const storedTextField = (max: number): z.ZodString =>
  withValidator((text) => validateStoredText(text, max));

export const storedWebAddressField = withValidator(validateStoredWebAddress);

/** An id as a caller sends it. Whether it names anything is for the domain to judge, so any string is let in. */
export function idField(description: string, pattern?: string): z.ZodString {
  return string().meta(pattern === undefined ? { description } : { description, pattern });
}

const cursor = (description: string): z.ZodString =>
  withValidator((text) =>
    ceilToMicrosecond(text) === null
      ? 'must be an RFC 3339 date-time with its offset, such as 2026-01-31T09:30:00.123456Z: take it from the last page'
      : null,
  ).meta({ format: 'date-time', description });

export const beforeField = cursor('Older than this: pass nextBefore on as it is.').optional();

export const afterField = cursor('Newer than this: pass nextAfter on as it is.').optional();

export function limitField(max: number): z.ZodNumber {
  const error = `must be one whole number from 1 to ${max}`;
  return z.int({ error }).min(1, { error }).max(max, { error });
}

const KEY = /^[A-Za-z0-9._:-]{8,128}$/;

export const idempotencyKeyField = withValidator((text) =>
  KEY.test(text) ? null : 'must be 8 to 128 characters of A-Z a-z 0-9 . _ : -',
)
  .meta({
    description: 'Makes a retry safe: your own word, new for each thing; at least 8 of A-Za-z0-9._:-',
  })
  .optional();
