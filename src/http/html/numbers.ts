/** An id of a post, whole or as titles have it. */
const POST = /\bpost(?:_[0-9a-f-]{32}| …)([0-9a-f]{4})\b/g;

/**
 * Puts the numbers of messages in place of their ids, and words in place of ids without a number: no reader of
 * a line can look an id up.
 * @param ids of messages of the same thread that the text may name
 */
export function withNumbers(
  text: string,
  ids: readonly string[] = [],
  numberOf: (id: string) => number | undefined = () => undefined,
): string {
  return text.replace(POST, (_, end: string) => {
    const number = numberOf(ids.find((id) => id.endsWith(end)) ?? '');
    return number === undefined ? 'another message' : `#${number}`;
  });
}

/** The same, by numbers of a list. */
export const withNamed = (text: string, named: Readonly<Record<string, number>>): string =>
  withNumbers(text, Object.keys(named), (id) => named[id]);
