import { existsSync, readFileSync } from 'node:fs';
import { launch, type Page } from 'puppeteer-core';
import { IN_PAGE } from '../browser/probe.ts';
import type { Probes } from '../browser/probe.ts';
import { placeOf, VIEWS, type View } from '../browser/each-page.ts';
import type { CheckContext, PageCheck } from '../check.ts';
import { visitedPages, type VisitedPage } from '../visited-pages.ts';
import { addViolations, AXE_PATH, RUN_AXE, type Violations } from './accessibility.ts';

const USUAL_PATHS = [
  '/usr/bin/firefox',
  '/usr/bin/firefox-esr',
  '/snap/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];

const firefoxPath = (): string | undefined =>
  process.env['FIREFOX_PATH'] ?? USUAL_PATHS.find((path) => existsSync(path));

/** Values of the preference that chooses the palette of pages. */
const PALETTES = { dark: 0, light: 1 };

async function examine(page: Page, target: VisitedPage, view: View, { faults }: CheckContext): Promise<void> {
  const place = placeOf(target, view);
  faults.examined += 1;
  const response = await page.goto(`${target.world.url}${target.path}`);
  if (response?.status() !== target.status) {
    faults.add(place, `answers ${response?.status()}, not ${target.status}`);
    return;
  }
  for (const path of [AXE_PATH, IN_PAGE]) await page.evaluate(`${readFileSync(path, 'utf8')};0`);
  const { violations } = (await page.evaluate(RUN_AXE)) as { violations: Violations };
  addViolations(violations, place, faults);
  const { scrollWidth, innerWidth, overflowing, fixedSides } = (await page.evaluate(
    'probe.layout()',
  )) as Probes['layout'];
  faults.expect(scrollWidth <= innerWidth, { ...place, detail: overflowing.join(', ') }, 'scrolls sideways');
  faults.expect(
    fixedSides.length === 0,
    { ...place, detail: fixedSides.join(', ') },
    'has texts that stand on the left in either direction',
  );
}

export const firefox: PageCheck = {
  name: 'firefox',
  description:
    'in Firefox axe-core finds no violation, no page scrolls sideways, and texts begin at their own side',
  missing: () =>
    firefoxPath() === undefined
      ? 'no Firefox found: install the package firefox-esr, or set FIREFOX_PATH'
      : undefined,
  async run(context) {
    let version = '-';
    for (const colorScheme of ['light', 'dark'] as const) {
      const browser = await launch({
        browser: 'firefox',
        executablePath: firefoxPath()!,
        extraPrefsFirefox: {
          'layout.css.prefers-color-scheme.content-override': PALETTES[colorScheme],
          // Otherwise a page that was opened before is 304.
          'browser.cache.disk.enable': false,
          'browser.cache.memory.enable': false,
        },
      });
      try {
        version = await browser.version();
        const page = await browser.newPage();
        for (const view of VIEWS.filter((one) => one.colorScheme === colorScheme)) {
          await page.setViewport({ width: view.width, height: view.height });
          for (const target of visitedPages(context.worlds)) await examine(page, target, view, context);
        }
      } finally {
        await browser.close();
      }
    }
    return version;
  },
};
