import { missingChromium } from '../browser/chromium.ts';
import { eachPage, WIDE } from '../browser/each-page.ts';
import { injectProbes, probe } from '../browser/probe.ts';
import type { PageCheck } from '../check.ts';

export const media: PageCheck = {
  name: 'media',
  description:
    'shapes and frames of standings in forced colours; in print rows of wide tables, and all of a page',
  missing: missingChromium,
  async run(context) {
    const { faults } = context;
    const examined = { shapes: 0, frames: 0, rows: 0 };
    const options = { bypassCSP: true, forcedColors: 'active' } as const;
    await eachPage(context, { views: [WIDE], options, prepare: injectProbes }, async ({ page, place }) => {
      const { shapes, lost, frames, wrong } = await probe(page, 'shapes');
      faults.expect(lost.length === 0, { ...place, detail: lost.join(', ') }, 'has shapes that do not show');
      faults.expect(wrong.length === 0, { ...place, detail: wrong.join(', ') }, 'has frames of another kind');
      await page.emulateMedia({ media: 'print' });
      const { rows, broken } = await probe(page, 'wideRows');
      const unprinted = await probe(page, 'unprinted');
      await page.emulateMedia({ media: 'screen' });
      const detail = unprinted.slice(0, 3).join(', ');
      faults.expect(
        unprinted.length === 0,
        { ...place, detail },
        'prints some of it only, or without addresses',
      );
      faults.expect(broken === 0, place, `prints each cell of ${broken} rows on its own line`);
      examined.shapes += shapes;
      examined.frames += frames;
      examined.rows += rows;
    });
    for (const [what, count] of Object.entries(examined))
      faults.expect(count > 0, { page: 'every page' }, `has no ${what} to examine`);
    return Object.entries(examined)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ');
  },
};
