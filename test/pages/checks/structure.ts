import { missingChromium } from '../browser/chromium.ts';
import { eachPage, NARROW, WIDE, type Visit } from '../browser/each-page.ts';
import { injectProbes, probe } from '../browser/probe.ts';
import type { CheckContext, PageCheck } from '../check.ts';

/** How many elements are reached by the Tab key on each page. */
const TAB_STOPS = 12;

async function examine(visit: Visit, { faults }: CheckContext): Promise<void> {
  const { page, place, target } = visit;
  const { title, language, headings, mains } = await probe(page, 'structure');
  faults.expect(title !== '', place, 'has no title');
  faults.expect(language !== '', place, 'has no language');
  faults.expect(headings.length === 1, place, `has ${headings.length} h1 elements, not one`);
  faults.expect(headings.every(Boolean), place, 'has an empty h1');
  faults.expect(mains === 1, place, `has ${mains} main landmarks that show, not one`);
  if (target.anchor !== undefined) await checkAnchor(visit, target.anchor, faults);
  // A fragment would be where the Tab key begins.
  else await checkFocus(visit, faults);
}

async function checkAnchor(
  { page, place }: Visit,
  id: string,
  faults: CheckContext['faults'],
): Promise<void> {
  const { isTarget, isInWindow, isWhole, hash } = await probe(page, 'target', id);
  faults.expect(
    isTarget,
    place,
    `the address of a reply leads to "${hash}", which marks no element with its id`,
  );
  faults.expect(isInWindow, place, 'the head of the reply that was asked for is not in the window');
  faults.expect(isWhole, place, 'the reply that was asked for is not open');
  await page.emulateMedia({ media: 'print' });
  const selector = 'details.more > :last-child';
  const closed = await page.evaluate<number>(
    `[...document.querySelectorAll('${selector}')].filter((part) => !part.checkVisibility()).length`,
  );
  await page.emulateMedia({ media: 'screen' });
  faults.expect(closed === 0, place, `${closed} long replies are cut in print`);
}

async function checkFocus({ page, place }: Visit, faults: CheckContext['faults']): Promise<void> {
  for (let stop = 1; stop <= TAB_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const focus = await probe(page, 'focus');
    if (stop === 1) {
      faults.expect(focus?.isSkipLink === true, place, `the first Tab stop is ${focus?.name}, no skip link`);
      faults.expect(focus?.isInWindow === true, place, 'the skip link does not show when it has the focus');
    }
    if (focus === null) return;
    faults.expect(focus.isMarked, { ...place, detail: focus.name }, 'the focus does not show');
  }
}

export const structure: PageCheck = {
  name: 'structure',
  description: 'title, language, one h1, one main, a skip link, a focus that shows, the anchor of a reply',
  missing: missingChromium,
  async run(context) {
    const settings = { views: [WIDE, NARROW], options: { bypassCSP: true }, prepare: injectProbes };
    await eachPage(context, settings, (visit) => examine(visit, context));
    return '';
  },
};
