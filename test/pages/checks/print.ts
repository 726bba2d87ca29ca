import { missingChromium } from '../browser/chromium.ts';
import { eachPage, WIDE } from '../browser/each-page.ts';
import { injectProbes, probe } from '../browser/probe.ts';
import type { PageCheck } from '../check.ts';

/** Of 255. Browsers print no background, so that a light colour does not show on paper. */
const MAX_BRIGHTNESS = 110;

/** @param colour as `rgb(0, 0, 0)` */
function brightnessOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return (red * 299 + green * 587 + blue * 114) / 1000;
}

/** Browsers print in the light palette. */
export const print: PageCheck = {
  name: 'print',
  description: 'the main part of every page prints, in dark letters',
  missing: missingChromium,
  async run(context) {
    const settings = { views: [WIDE], options: { bypassCSP: true }, prepare: injectProbes };
    await eachPage(context, settings, async ({ page, place }) => {
      await page.emulateMedia({ media: 'print' });
      const { text, colour } = await probe(page, 'print');
      context.faults.expect(text !== '', place, 'prints no text');
      context.faults.expect(brightnessOf(colour) <= MAX_BRIGHTNESS, place, `prints text in ${colour}`);
      const pdf = await page.pdf({ format: 'A4' });
      context.faults.expect(pdf.subarray(0, 5).toString() === '%PDF-', place, 'does not print');
    });
    return '';
  },
};
