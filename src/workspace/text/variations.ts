import { brotliDecompressSync } from 'node:zlib';
import { LISTED_VARIATIONS } from './listed-variations.ts';

const FIRST_SUPPLEMENTARY_SELECTOR = 0xe0100;
const FIRST_SELECTOR = 0xfe00;
const FIRST_MONGOLIAN_SELECTOR = 0x180b;

/** Invariant: every element is `base * 512 + selectorIndex(selector)`. Undefined until the first lookup. */
let listed: ReadonlySet<number> | undefined;

/**
 * Whether Unicode lists the variation sequence: in StandardizedVariants.txt or
 * emoji-variation-sequences.txt of Unicode 17, or in IVD_Sequences.txt of the Ideographic Variation Database,
 * version 2014-05-16.
 * @param base a code point
 * @param selector a code point with the property Variation_Selector
 */
export function isListedVariation(base: number, selector: number): boolean {
  // Decoded on first use: most texts have no variation selector.
  listed ??= decodeVariations(LISTED_VARIATIONS);
  return listed.has(base * 512 + selectorIndex(selector));
}

/** @returns a number below 512. Must equal the numbering in bin/variation-sequences.js. */
function selectorIndex(selector: number): number {
  if (selector >= FIRST_SUPPLEMENTARY_SELECTOR) return 32 + (selector - FIRST_SUPPLEMENTARY_SELECTOR);
  return selector >= FIRST_SELECTOR ? 16 + (selector - FIRST_SELECTOR) : selector - FIRST_MONGOLIAN_SELECTOR;
}

/** Decodes what bin/variation-sequences.js encodes: little-endian base-128 differences, Brotli, Base64. */
function decodeVariations(packed: string): Set<number> {
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
