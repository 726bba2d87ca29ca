import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { BrowserContext } from 'playwright-core';
import { missingChromium } from '../browser/chromium.ts';
import { eachPage, VIEWS, type Visit } from '../browser/each-page.ts';
import type { CheckContext, PageCheck } from '../check.ts';
import type { Faults, Place } from '../faults.ts';

const OPTIONS: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'],
  // Off unless it is named.
  rules: { 'target-size': { enabled: true } },
  resultTypes: ['violations'],
};

/** Of `AxeResults`, what the check reads: the rest of a long thread is large. */
export type Violations = readonly (Pick<AxeResults['violations'][number], 'id' | 'impact' | 'help'> & {
  readonly count: number;
  readonly first: { readonly target: string; readonly summary: string };
})[];

/** The path of the script, which defines `axe`. */
export const AXE_PATH = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** An expression whose value is a promise of the version and the violations. */
export const RUN_AXE = `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ testEngine, violations }) => ({
  version: testEngine.version,
  violations: violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, count: nodes.length,
    first: { target: nodes[0].target.flat().join(' '), summary: nodes[0].failureSummary.split('\\n').slice(1).join(' ') },
  })),
}))`;

async function examine({ page, place }: Visit, { faults }: CheckContext): Promise<string> {
  const { version, violations } = await page.evaluate<{ version: string; violations: Violations }>(RUN_AXE);
  addViolations(violations, place, faults);
  return version;
}

export function addViolations(violations: Violations, place: Place, faults: Faults): void {
  for (const { id, impact, help, count, first } of violations)
    faults.add(
      { ...place, detail: `${count} times, first ${first.target.slice(0, 120)}: ${first.summary}` },
      `${id} (${impact ?? 'no impact'}): ${help}`,
    );
}

export const accessibility: PageCheck = {
  name: 'accessibility',
  description: 'axe-core finds no violation of WCAG 2.0 to 2.2, A and AA, and of its best practices',
  missing: missingChromium,
  async run(context) {
    let version = '-';
    const options = { bypassCSP: true };
    const prepare = (tab: BrowserContext) => tab.addInitScript({ path: AXE_PATH });
    await eachPage(context, { views: VIEWS, options, prepare }, async (visit) => {
      version = await examine(visit, context);
    });
    return `axe-core ${version}`;
  },
};
