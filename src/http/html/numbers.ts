/** An id of a post, whole or as titles have it. */
const POST = /\bpost(?:_[0-9a-f-]{32}| …)([0-9a-f]{4})\b/g;

/** The beginning of an id, where a text is cut. */
const CUT_POST = / ?\bpost_[0-9a-f-]*…$/;

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
  return text.replace(CUT_POST, '…').replace(POST, (_, end: string) => {
    const number = numberOf(ids.find((id) => id.endsWith(end)) ?? '');
    return number === undefined ? 'another message' : `#${number}`;
  });
}

/** Of messages of one thread, by id. */
export type Numbers = Readonly<Record<string, number>>;

/** The same, by numbers of a list. */
export const withNamed = (text: string, named: Numbers): string =>
  withNumbers(text, Object.keys(named), (id) => named[id]);
