import { queryWordsOf } from '#message/words.ts';

/** A part of a text, in UTF-16 units. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

/** An id of a record, or a run of letters and digits. */
const TOKEN = /(?:post|project|note|guest)_[0-9a-f-]+|[\p{L}\p{N}\p{M}]+/giu;

/** A search finds words of scripts without spaces by one or two of their characters. */
const PART_OF_RUN = /^\p{Lo}{1,2}$/u;

/** Finds the words of a query in a text. The hits are in order and do not overlap. */
export function findHits(text: string, query: string | undefined): Hit[] {
  if (query === undefined) return [];
  const { words } = queryWordsOf(query);
  const parts = words.filter((word) => PART_OF_RUN.test(word));
  const found = Array.from(text.matchAll(TOKEN)).flatMap(({ 0: token, index }): Hit[] => {
    const [word = '', ...others] = queryWordsOf(token).words;
    if (others.length === 0 && words.includes(word)) return [{ start: index, end: index + token.length }];
    return parts.flatMap((part) => {
      const place = token.indexOf(part);
      return place < 0 ? [] : [{ start: index + place, end: index + place + part.length }];
    });
  });
  return joinHits(found.sort((one, other) => one.start - other.start));
}

function joinHits(hits: readonly Hit[]): Hit[] {
  const joined: Hit[] = [];
  for (const hit of hits) {
    const last = joined.at(-1);
    if (last === undefined || hit.start >= last.end) joined.push(hit);
    else joined.splice(-1, 1, { start: last.start, end: Math.max(last.end, hit.end) });
  }
  return joined;
}
