/**
 * Whether PostgreSQL accepts a text as a parameter and in JSON. It refuses U+0000 and lone surrogates, which
 * no stored id has.
 */
export const isStorableText = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);
