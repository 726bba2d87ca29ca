import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { CheckContext } from '../check.ts';
import { visitedPages, type VisitedPage } from '../visited-pages.ts';

/** A window and a palette. */
export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const WIDE: View = { width: 1280, height: 900, colorScheme: 'light' };
export const NARROW: View = { width: 390, height: 844, colorScheme: 'light' };

/** Both windows in both palettes. */
export const VIEWS: readonly View[] = [WIDE, NARROW].flatMap((view) => [
  view,
  { ...view, colorScheme: 'dark' as const },
]);

/** A page that was opened in a view. */
export interface Visit {
  readonly page: Page;
  readonly target: VisitedPage;
  readonly view: View;
  /** Names the page and the view in messages. */
  readonly place: string;
}

interface EachPageOptions {
  readonly views: readonly View[];
  readonly options?: BrowserContextOptions;
  /** Prepares a browser context before its first page. */
  readonly prepare?: (context: BrowserContext) => Promise<void>;
  /** Prepares a page before it is opened. */
  readonly beforeOpen?: (visit: Visit) => void;
}

const OPEN_TIMEOUT_MS = 60_000;

/**
 * Opens every page of both stores in every view. A page that does not answer with HTML and its status is a fault, and is not
 * visited.
 */
export async function eachPage(
  { worlds, browser, faults }: CheckContext,
  { views, options = {}, prepare, beforeOpen }: EachPageOptions,
  visit: (visit: Visit) => Promise<void>,
): Promise<void> {
  for (const view of views) {
    const { width, height, colorScheme } = view;
    const context = await (await browser()).newContext({
      viewport: { width, height },
      colorScheme,
      ...options,
    });
    try {
      await prepare?.(context);
      for (const target of visitedPages(worlds)) {
        faults.examined += 1;
        const page = await context.newPage();
        const place = `${placeOf(target)} ${width}x${height} ${colorScheme}`;
        try {
          const fault = await open(page, target, () => {
            beforeOpen?.({ page, target, view, place });
          });
          if (fault === undefined) await visit({ page, target, view, place });
          else faults.add(place, fault);
        } catch (error) {
          faults.add(place, `the check broke off: ${String(error)}`);
        } finally {
          await page.close();
        }
      }
    } finally {
      await context.close();
    }
  }
}

/** @returns the name of a page in messages */
export const placeOf = ({ world, path }: VisitedPage): string => `${world.state} ${path}`;

/** @returns what is wrong with the response; undefined if the page can be examined */
async function open(page: Page, target: VisitedPage, before: () => void): Promise<string | undefined> {
  before();
  const response = await page.goto(`${target.world.url}${target.path}`, { timeout: OPEN_TIMEOUT_MS });
  const status = response?.status();
  const type = response?.headers()['content-type'] ?? 'no content type';
  if (status === target.status && type.startsWith('text/html')) return undefined;
  return `answers ${status} ${type}, not ${target.status} text/html`;
}
