import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { CheckContext } from '../check.ts';
import type { Place } from '../faults.ts';
import { visitedPages, type VisitedPage } from '../visited-pages.ts';

/** A window and a palette. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const WIDE: View = { width: 1280, height: 900, colorScheme: 'light' };
export const NARROW: View = { width: 390, height: 844, colorScheme: 'light' };

/** The narrowest window that WCAG 2.2, 1.4.10, asks for. */
export const NARROWEST: View = { width: 320, height: 640, colorScheme: 'light' };

/** Each window in both palettes. */
export const VIEWS: readonly View[] = [WIDE, NARROW, NARROWEST].flatMap((view) => [
  view,
  { ...view, colorScheme: 'dark' as const },
]);

/** A page that was opened in a view. */
export interface Visit {
  /** All pages of a view are opened in it, one after another. */
  readonly page: Page;
  readonly target: VisitedPage;
  /** Where a fault is. */
  readonly place: Place;
}

interface EachPageOptions {
  readonly views: readonly View[];
  readonly options?: BrowserContextOptions;
  /** Prepares a browser context before its page is created. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
  /** Listens to the events of the page. @param current the visit during which an event occurs */
  readonly listen?: (page: Page, current: () => Visit) => void;
}

const OPEN_TIMEOUT_MS = 60_000;

/**
 * Opens every page of both stores in every view. A page that does not answer with HTML and its status is a fault, and is not
 * visited.
 */
export async function eachPage(
  check: CheckContext,
  { views, options = {}, prepare, listen }: EachPageOptions,
  visit: (visit: Visit, view: View) => Promise<void>,
): Promise<void> {
  const browser = await check.browser();
  for (const view of views) {
    const { width, height, colorScheme } = view;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...options });
    try {
      await prepare?.(context);
      await openAll(check, await context.newPage(), view, { visit, ...(listen && { listen }) });
    } finally {
      await context.close();
    }
  }
}

async function openAll(
  { worlds, faults }: CheckContext,
  page: Page,
  view: View,
  { listen, visit }: Pick<EachPageOptions, 'listen'> & { visit: (visit: Visit, view: View) => Promise<void> },
): Promise<void> {
  const visits = visitedPages(worlds).map((target) => ({ page, target, place: placeOf(target, view) }));
  let [current] = visits;
  listen?.(page, () => current!);
  for (const each of visits) {
    current = each;
    faults.examined += 1;
    try {
      const fault = await open(page, each.target);
      if (fault === undefined) await visit(each, view);
      else faults.add(each.place, fault);
    } catch (error) {
      faults.add(each.place, `the check broke off: ${String(error)}`);
    }
  }
}

/** @returns the page and view in messages */
export const placeOf = ({ world, name }: VisitedPage, view?: View): Place => ({
  page: `${world.state} ${name}`,
  ...(view && { view: `${view.width}x${view.height} ${view.colorScheme}` }),
});

/** @returns what is wrong with the response; undefined if the page can be examined */
async function open(page: Page, target: VisitedPage): Promise<string | undefined> {
  const response = await page.goto(`${target.world.url}${target.path}`, { timeout: OPEN_TIMEOUT_MS });
  const status = response?.status();
  const type = response?.headers()['content-type'] ?? 'no content type';
  if (status === target.status && type.startsWith('text/html')) return undefined;
  return `answers ${status} ${type}, not ${target.status} text/html`;
}
