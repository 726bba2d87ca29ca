import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DARK, LIGHT, type Palette } from '#http/documents/style-sheet.ts';

const BACKGROUNDS = ['paper', 'tint', 'marked'] as const;
const TEXTS = ['text', 'quiet', 'link', 'idea', 'work', 'result', 'review', 'change', 'none'] as const;

/** WCAG 2.2, 1.4.3. */
const MIN_CONTRAST = 4.5;

/** Of the background of a mark from what it stands on. */
const MIN_DISTANCE = 40;

/** Relative luminance (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The distance of two colours, each a point with three numbers up to 255. */
function distanceOf(one: string, other: string): number {
  const differences = [1, 3, 5].map(
    (start) => parseInt(one.slice(start, start + 2), 16) - parseInt(other.slice(start, start + 2), 16),
  );
  return Math.hypot(...differences);
}

function contrastOf(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminanceOf(a), luminanceOf(b)].sort((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

const PALETTES: Record<string, Palette> = { light: LIGHT, dark: DARK };

describe('the palette', () => {
  it('computes contrast as WCAG does', () => {
    assert.equal(contrastOf('#ffffff', '#000000'), 21);
    assert.equal(contrastOf('#777777', '#ffffff').toFixed(2), '4.48');
  });

  for (const [name, palette] of Object.entries(PALETTES))
    for (const background of BACKGROUNDS)
      it(`has readable texts on ${background} in ${name}`, () => {
        for (const text of TEXTS) {
          const contrast = contrastOf(palette[text], palette[background]);
          assert.ok(contrast >= MIN_CONTRAST, `${text}: ${contrast.toFixed(2)}`);
        }
      });

  for (const [name, palette] of Object.entries(PALETTES))
    for (const background of ['card', 'paper', 'tint'] as const)
      it(`has marks that can be seen on ${background} in ${name}`, () => {
        assert.ok(distanceOf(palette.marked, palette[background]) >= MIN_DISTANCE);
      });
});
