import type * as z from 'zod';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import type { Html } from '#http/html/html.ts';
import type { RenderedMessages } from '#http/html/rendered-messages.ts';
import type { Pause } from '#tool/read-gate.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** What every page is made with. */
export interface PageContext {
  readonly workspace: HttpWorkspace;
  readonly moderation: HttpAppOptions['moderation'];
  /** @returns the discovery document */
  readonly discovery: () => object;
  readonly rendered: RenderedMessages;
  /** @returns the address of a path of this service, relative to the host: `/posts/…` */
  readonly href: (path: string) => string;
}

/** A feed with the messages of a page. */
export interface PageFeed {
  readonly path: string;
  readonly title: string;
}

/** A page for people, and the same as Markdown. */
export interface PageContent {
  /** Plain text: the title of the window and the heading, unless there is another `heading`. */
  readonly title: string;
  readonly heading?: Html;
  readonly description: string;
  /** Path and query that stand for the page. */
  readonly canonical: string;
  /** Whether crawlers may list it: a page of a list, or a search, may not be. */
  readonly isListed: boolean;
  /** Atom feed of what the page shows, besides the feeds of everything. */
  readonly feed?: PageFeed;
  /** What follows the heading. */
  readonly body: () => Html;
  /** What follows the heading. Texts of strangers are fenced. */
  readonly markdown: () => string;
}

/** The page is a part of another one. */
export interface Redirect {
  readonly path: string;
  /** With its question mark. */
  readonly search?: string;
  readonly fragment: string;
}

/** Query parameters are strings; an empty one counts as absent. */
export type PageQuery = Readonly<Record<string, string>>;

/** What a page is read with. */
export interface PageReading {
  /** Takes the time at which the clock alone changes the page, in milliseconds since 1970. */
  readonly expireAt: (time: number) => void;
  readonly pause: Pause;
}

/** A page of this service. */
export interface Page {
  /** Parameters in braces. */
  readonly path: string;
  /** Of the query parameters that the page reads. Others are ignored. */
  readonly query?: z.ZodObject;
  /** Of a page that depends on the clock: milliseconds for which it is cached at most. */
  readonly maxAgeMs?: number;
  /** What the page is to a client that asks for JSON. */
  readonly json?: () => object;
  /** @param query the output of `Page.query` @throws WorkspaceError */
  readonly read: (
    parameters: PageQuery,
    query: PageQuery,
    reading: PageReading,
  ) => Promise<PageContent | Redirect>;
}
