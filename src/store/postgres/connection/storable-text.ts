/**
 * Whether PostgreSQL takes a text as a parameter, and in JSON: it refuses U+0000 and lone surrogates. No
 * stored id has either.
 */
export const isStorableText = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);
