import { brotliDecompressSync } from 'node:zlib';
import { LISTED_VARIATIONS } from './listed-variations.ts';

const FIRST_SUPPLEMENTARY = 0xe0100;
const FIRST_SELECTOR = 0xfe00;
const FIRST_MONGOLIAN = 0x180b;

let listed: ReadonlySet<number> | undefined;

/**
 * Whether Unicode lists a character with this variation selector: StandardizedVariants.txt and
 * emoji-variation-sequences.txt of Unicode 17, IVD_Sequences.txt of 2014-05-16.
 * @param base a code point
 * @param selector a code point with the property Variation_Selector
 */
export function isListedVariation(base: number, selector: number): boolean {
  // Most texts have no selector, so the list is unpacked for the first one that has.
  listed ??= unpack(LISTED_VARIATIONS);
  return listed.has(base * 512 + indexOf(selector));
}

/** The number of a selector, as bin/variation-sequences.js counts them. */
function indexOf(selector: number): number {
  if (selector >= FIRST_SUPPLEMENTARY) return 32 + (selector - FIRST_SUPPLEMENTARY);
  return selector >= FIRST_SELECTOR ? 16 + (selector - FIRST_SELECTOR) : selector - FIRST_MONGOLIAN;
}

function unpack(packed: string): Set<number> {
  const values = new Set<number>();
  let value = 0;
  let delta = 0;
  let weight = 1;
  for (const byte of brotliDecompressSync(Buffer.from(packed, 'base64'))) {
    delta += (byte % 128) * weight;
    weight *= 128;
    if (byte >= 128) continue;
    value += delta;
    values.add(value);
    delta = 0;
    weight = 1;
  }
  return values;
}
