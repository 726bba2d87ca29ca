const LINE_BREAK = /[\r\n\u0085\u2028\u2029]+/;
const OTHERS = /[^\p{L}\p{N}]+/gu;
/** In letters and digits. Shorter lines are not compared. */
const MIN_LINE_LENGTH = 4;
const SKETCH_SIZE = 64;
const HASH_BYTES = 3;
/** Texts with fewer lines are never copies. */
export const MIN_COMPARED = 4;
const [FNV_BASIS, FNV_PRIME] = [0x811c9dc5, 0x01000193] as const;

/**
 * Creates the sketch with which copies of a message are found: the `SKETCH_SIZE` smallest hashes of its
 * distinct lines (Broder, "On the resemblance and containment of documents", 1997). Only the letters and
 * digits of a line count, and the prefix does not.
 * @returns base 64 of hashes of 24 bits, smallest first; null if no line counts
 */
export function sketchOf({ message, prefix }: Prefixed): string | null {
  const hashes = new Set<number>();
  for (const line of textOf(message, prefix).split(LINE_BREAK)) {
    const hash = hashLine(line, FNV_BASIS);
    if (hash !== null) hashes.add(hash >>> 8);
  }
  if (hashes.size === 0) return null;
  const smallest = Uint32Array.from(hashes).sort().subarray(0, SKETCH_SIZE);
  const bytes = Buffer.alloc(smallest.length * HASH_BYTES);
  for (const [index, hash] of smallest.entries()) bytes.writeUIntBE(hash, index * HASH_BYTES, HASH_BYTES);
  return bytes.toString('base64');
}

interface Prefixed {
  readonly message: string;
  readonly prefix: string | null;
}

const textOf = (message: string, prefix: string | null): string =>
  prefix === null ? message : message.slice(message.indexOf(':') + 1);

/** @returns a hash of the first line with four letters or digits after the prefix; null without one */
export function firstLineKey({ message, prefix }: Prefixed): string | null {
  const text = textOf(message, prefix).trimStart();
  const [line = ''] = text.split(LINE_BREAK, 1);
  const [high, low] = [hashLine(line, FNV_BASIS), hashLine(line, FNV_PRIME)];
  return high === null || low === null ? null : `${high.toString(36)} ${low.toString(36)}`;
}

export function parseSketch(sketch: string): Uint32Array {
  const bytes = Buffer.from(sketch, 'base64');
  const hashes = new Uint32Array(bytes.length / HASH_BYTES);
  for (let index = 0; index < hashes.length; index++)
    hashes[index] = bytes.readUIntBE(index * HASH_BYTES, HASH_BYTES);
  return hashes;
}

/** How many lines of a text are compared (`of`), and how many of these are in the other text (`equal`). */
export interface Overlap {
  readonly equal: number;
  readonly of: number;
}

/**
 * @returns how many lines of a text are in an earlier one; null if it is not a copy: fewer than
 *   `MIN_COMPARED` lines can be compared, less than 80% of them are in the other, or they are less than half
 *   of the other
 */
export function compareSketches(later: Uint32Array, earlier: Uint32Array): Overlap | null {
  const overlap = countEqual(later, earlier, Math.floor(later.length / 5));
  if (overlap === null || overlap.of < MIN_COMPARED || overlap.equal * 5 < overlap.of * 4) return null;
  const back = countEqual(earlier, later);
  return back === null || back.equal * 2 < back.of ? null : overlap;
}

/**
 * Counts the lines of a sketch that are in another one. A full sketch lacks the hashes above its last one, so
 * larger hashes are not compared.
 * @returns null if more than `maxMissing` lines are missing
 */
function countEqual(one: Uint32Array, other: Uint32Array, maxMissing = Infinity): Overlap | null {
  const last = other.length < SKETCH_SIZE ? Infinity : (other[other.length - 1] ?? 0);
  let [of, equal, index] = [0, 0, 0];
  for (const hash of one) {
    if (hash > last) break;
    of += 1;
    while ((other[index] ?? Infinity) < hash) index += 1;
    if (other[index] === hash) equal += 1;
    else if (of - equal > maxMissing) return null;
  }
  return { equal, of };
}

/** Computes FNV-1a over the lower-case letters and digits of a line. @returns null for fewer than four */
function hashLine(line: string, basis: number): number | null {
  let hash = basis;
  let length = 0;
  for (let index = 0; index < line.length; index++) {
    let unit = line.charCodeAt(index);
    if (unit > 0x7f) return hashLetters(line.replace(OTHERS, '').toLowerCase(), basis);
    if (unit >= 0x41 && unit <= 0x5a) unit += 0x20;
    if ((unit < 0x61 || unit > 0x7a) && (unit < 0x30 || unit > 0x39)) continue;
    hash = Math.imul(hash ^ unit, FNV_PRIME);
    length += 1;
  }
  return length < MIN_LINE_LENGTH ? null : mix(hash);
}

function hashLetters(letters: string, basis: number): number | null {
  let hash = basis;
  for (let index = 0; index < letters.length; index++)
    hash = Math.imul(hash ^ letters.charCodeAt(index), FNV_PRIME);
  return letters.length < MIN_LINE_LENGTH ? null : mix(hash);
}

/** Makes every bit depend on all letters (MurmurHash3), so the smallest hashes are a fair sample. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
