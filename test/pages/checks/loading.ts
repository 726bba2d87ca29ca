import type { Locator, Page } from 'playwright-core';
import { missingChromium } from '../browser/chromium.ts';
import { eachPage, VIEWS, type Visit } from '../browser/each-page.ts';
import type { CheckContext, PageCheck } from '../check.ts';

/** The one error that a page may log: Chromium reports the status of the page itself. */
const STATUS_ERROR = /^Failed to load resource: the server responded with a status of (?:404|410|422)/;

function listen(page: Page, current: () => Visit, { faults }: CheckContext): void {
  const add = (fault: string): void => {
    faults.add(current().place, fault);
  };
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const { url } = message.location();
    if (STATUS_ERROR.test(message.text()) && isOwnAddress(page, url)) return;
    const { place, target } = current();
    const detail = url.replace(target.world.url, '').slice(0, 100);
    faults.add({ ...place, detail }, `logs to the console: ${message.text()}`);
  });
  page.on('pageerror', (error) => {
    add(`a script fails: ${error.message}`);
  });
  page.on('dialog', (dialog) => {
    add(`opens a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== current().target.world.url && protocol !== 'data:')
      add(`requests ${request.url().slice(0, 100)}`);
  });
  page.on('requestfailed', (request) => {
    // The next page is opened before the browser has the icon.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
    add(`the request for ${new URL(request.url()).pathname} fails: ${request.failure()?.errorText}`);
  });
}

const isOwnAddress = (page: Page, address: string): boolean =>
  address.replace(/#.*/s, '') === page.url().replace(/#.*/s, '');

const FORBIDDEN = 'script, iframe, object, embed, [onload], [onerror], [onclick], [href^="javascript:" i]';

async function examine({ page, target, place }: Visit, { faults }: CheckContext): Promise<void> {
  await page.waitForLoadState('load');
  for (const element of await page.locator(FORBIDDEN).all())
    faults.add(place, `has an element that may run a script: ${await outline(element)}`);
  const cookies = await page.context().cookies();
  faults.expect(cookies.length === 0, place, 'sets a cookie');
  await page.context().clearCookies();
  faults.expect(
    new URL(page.url()).origin === target.world.url,
    place,
    `leads to ${page.url().slice(0, 100)}`,
  );
}

/** The beginning of the markup of an element. */
const outline = (element: Locator): Promise<string> =>
  element.evaluate((node: unknown) => (node as { outerHTML: string }).outerHTML.slice(0, 80));

export const loading: PageCheck = {
  name: 'loading',
  description:
    'no error or policy violation in the console, no script, no cookie, no request to another origin',
  missing: missingChromium,
  async run(context) {
    const settings = {
      views: VIEWS,
      listen: (page: Page, current: () => Visit) => {
        listen(page, current, context);
      },
    };
    await eachPage(context, settings, (visit) => examine(visit, context));
    return `Chromium ${(await context.browser()).version()}`;
  },
};
