import { missingChromium } from '../browser/chromium.ts';
import { eachPage, NARROW, NARROWEST, WIDE, type View } from '../browser/each-page.ts';
import { injectProbes, probe } from '../browser/probe.ts';
import type { PageCheck } from '../check.ts';

/** How far down home shows the first finding of the demo, and how high it is, in pixels. */
const HOME = [
  [WIDE, { firstFinding: 500, height: 2600 }],
  [NARROW, { firstFinding: 640, height: 2700 }],
] as const;

/** 640 pixels are a window of 1280 at 200 %. */
const VIEWS: readonly View[] = [WIDE, NARROW, { width: 640, height: 450, colorScheme: 'light' }, NARROWEST];

export const layout: PageCheck = {
  name: 'layout',
  description:
    'no sideways scrolling at 1280, 640, 390 and 320 pixels, radio buttons beside their labels, ' +
    'findings at the head of home',
  missing: missingChromium,
  async run(context) {
    const settings = { views: VIEWS, options: { bypassCSP: true }, prepare: injectProbes };
    await eachPage(context, settings, async ({ page, place, target }, view) => {
      const { scrollWidth, innerWidth, overflowing, ...found } = await probe(page, 'layout');
      const { strayButtons, fixedSides, farCells } = found;
      context.faults.expect(
        scrollWidth <= innerWidth,
        { ...place, detail: `${scrollWidth} pixels, ${overflowing.join(', ')}` },
        'scrolls sideways',
      );
      context.faults.expect(strayButtons.length === 0, place, 'has radio buttons apart from their labels');
      context.faults.expect(
        fixedSides.length === 0,
        { ...place, detail: fixedSides.join(', ') },
        'has texts that stand on the left in either direction',
      );
      context.faults.expect(farCells === 0, place, `has ${farCells} tables with cells out of sight`);
      const [, most] = HOME.find(([window]) => window === view) ?? [];
      if (most === undefined || target.world.state !== 'demo' || target.path !== '/') return;
      const { firstFinding, height } = await probe(page, 'home');
      context.faults.expect(
        firstFinding <= most.firstFinding && height <= most.height,
        { ...place, detail: `the first finding at ${firstFinding}, ${height} pixels in all` },
        'shows its findings too late, or is too high',
      );
    });
    return '';
  },
};
