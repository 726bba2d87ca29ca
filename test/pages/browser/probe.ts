import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';

/** What the functions of in-page.js return. */
export interface Probes {
  readonly layout: {
    readonly scrollWidth: number;
    readonly innerWidth: number;
    readonly overflowing: readonly string[];
    /** Radio buttons that share no line with their labels. */
    readonly strayButtons: readonly string[];
    /** Texts in either direction that stand on one side. */
    readonly fixedSides: readonly string[];
    /** Tables with more than twelve columns that scroll sideways. */
    readonly farCells: number;
  };
  readonly home: {
    readonly height: number;
    /** Where its first finding begins; Infinity without one. */
    readonly firstFinding: number;
  };
  readonly shapes: {
    readonly shapes: number;
    /** Shapes that have the colour of the page. */
    readonly lost: readonly string[];
    readonly frames: number;
    /** Frames of standings that are of another kind than theirs. */
    readonly wrong: readonly string[];
  };
  readonly wideRows: {
    /** Of tables with many columns. */
    readonly rows: number;
    /** Rows of which each cell stands on its own line. */
    readonly broken: number;
  };
  readonly unprinted: readonly string[];
  readonly structure: {
    readonly title: string;
    readonly language: string;
    readonly headings: readonly string[];
    readonly mains: number;
  };
  readonly focus: {
    readonly name: string;
    /** Whether it is a link to an element in `main`, or to `main`. */
    readonly isSkipLink: boolean;
    readonly isInWindow: boolean;
    readonly isMarked: boolean;
  } | null;
  readonly target: {
    readonly isTarget: boolean;
    readonly isInWindow: boolean;
    /** Whether nothing of it waits to be opened. */
    readonly isWhole: boolean;
    readonly hash: string;
  };
}

/** The path of the script, which defines `probe`. */
export const IN_PAGE = fileURLToPath(new URL('in-page.js', import.meta.url));

/** For a browser context that bypasses the Content-Security-Policy, which refuses `eval`. */
export async function injectProbes(context: BrowserContext): Promise<void> {
  await context.addInitScript({ path: IN_PAGE });
}

export async function probe<Name extends keyof Probes>(
  page: Page,
  name: Name,
  argument: string | null = null,
): Promise<Probes[Name]> {
  return page.evaluate<Probes[Name]>(`probe.${name}(${JSON.stringify(argument)})`);
}
