import { matchesWord, queryWordsOf } from '#message/words.ts';

/** A part of a text, in UTF-16 code units. */
export interface Hit {
  readonly start: number;
  readonly end: number;
}

/** A record id, or a run of letters and digits. */
const TOKEN = /(?:post|project|note|guest)_[0-9a-f-]+|[\p{L}\p{N}\p{M}]+/giu;

/** A search finds words of scripts without spaces by one or two of their characters. */
const PART_OF_RUN = /^\p{Lo}{1,2}$/u;

/** Finds the words of a query in a text. The hits are in order and do not overlap. */
export function findHits(text: string, query: string | undefined): Hit[] {
  return query === undefined ? [] : joinHits([...visitHits(text, query)]);
}

/** Finds only the first hit of `findHits`. */
export function findFirstHit(text: string, query: string | undefined): Hit | undefined {
  const [first] = query === undefined ? [] : visitHits(text, query);
  return first;
}

/** @yields hits in order, some of which overlap */
function* visitHits(text: string, query: string): Generator<Hit, void> {
  const { words } = queryWordsOf(query);
  const parts = words.filter((word) => PART_OF_RUN.test(word));
  /** Caches by token whether it is a word of the query, because words repeat in a text. */
  const isHit = new Map<string, boolean>();
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    let isWord = isHit.get(token);
    if (isWord === undefined) {
      const [word = '', ...others] = queryWordsOf(token).words;
      isWord = others.length === 0 && words.some((wanted) => matchesWord(word, wanted));
      isHit.set(token, isWord);
    }
    if (isWord) {
      yield { start: index, end: index + token.length };
      continue;
    }
    const places = parts.map((part) => ({ part, place: token.indexOf(part) }));
    for (const { part, place } of places.sort((one, other) => one.place - other.place))
      if (place >= 0) yield { start: index + place, end: index + place + part.length };
  }
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
