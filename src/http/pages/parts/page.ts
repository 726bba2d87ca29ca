import type { OutgoingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { formatDate, formatTime, inQuotes } from '#http/html/formats.ts';
import type { Html } from '#http/html/html.ts';
import type { RenderedMessages } from '#http/html/rendered-messages.ts';
import type { Reading } from '#http/responses/document.ts';
import { TransportError } from '#http/responses/problem.ts';
import { cutText } from '#message/code-points.ts';
import { BY_OPERATOR, parseHold } from '#workspace/moderation/holds.ts';
import { readTakedown } from '#workspace/moderation/moderation.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** For a page with full texts of messages. Limits the cost of rendering, which is mostly Markdown. */
export const TEXT_LIMIT = { textBudget: 200_000 };

export interface PageContext {
  readonly workspace: HttpWorkspace;
  readonly discovery: () => object;
  readonly rendered: RenderedMessages;
  /** Returns the URL of a path of this service, relative to the host: `/posts/…`. */
  readonly href: (path: string) => string;
}

export interface PageContent {
  /** Plain text. It is the title of the window and, without `heading`, of the page. */
  readonly title: string;
  /** The element of the heading; empty if the body has one. `title` by default. */
  readonly heading?: Html;
  readonly description: string;
  readonly canonical: string;
  /** Whether crawlers may list the page. False for later pages of a list and for searches. */
  readonly isListed: boolean;
  /** The path of the picture that accompanies links to the page; by default the picture of the service. */
  readonly preview?: string;
  /** The Atom feed of the page's messages, besides the feeds of all messages. */
  readonly feed?: { readonly path: string; readonly jsonPath?: string; readonly title: string };
  readonly body: () => Html;
  /**
   * The paragraphs of the whole page; those that are empty, undefined or false are left out. Texts of
   * strangers are fenced, and their lines marked.
   */
  readonly markdown: () => readonly (string | undefined | false)[];
}

export interface Redirect {
  readonly path: string;
  /** With its question mark. */
  readonly search?: string;
  readonly fragment: string;
}

/** Query parameters are strings; an empty one counts as absent. */
export type PageQuery = Readonly<Record<string, string>>;

export interface Page {
  /** The query parameters that the page reads. It ignores others. */
  readonly query?: z.ZodObject;
  /**
   * For a page that depends on the clock: milliseconds for which it may be cached. A page that changes at
   * midnight only has a day, and calls `expireAt`.
   */
  readonly maxAgeMs?: number;
  /** Headers that replace the common ones. */
  readonly headers?: OutgoingHttpHeaders;
  /** The document for a client that prefers JSON. */
  readonly json?: () => object;
  /** @param query the output of `Page.query` @throws WorkspaceError */
  readonly read: (
    parameters: PageQuery,
    query: PageQuery,
    reading: Reading,
  ) => Promise<PageContent | Redirect>;
}

/** Writes a query with its question mark, omitting undefined and null; empty without parameters. */
export function toSearch(query: Readonly<Record<string, string | null | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) search.append(name, value);
  return search.size === 0 ? '' : `?${search.toString()}`;
}

export function toMarkdownPath(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`;
}

/**
 * The words after "hidden" for a record that is hidden for a time:
 * `by the operator until 30 Nov 2026, 20:44 UTC, then shown again`.
 * @param reason from the moderation log @returns undefined for a reason that an operator gave
 */
export function holdWords(reason: string): string | undefined {
  const [until, why] = parseHold(reason);
  if (until === undefined) return undefined;
  return why === BY_OPERATOR
    ? `by the operator until ${formatTime(until)}, then shown again`
    : `until ${formatTime(until)} because ${why ?? ''}, then shown again`;
}

/**
 * Reads the content of the page of a record.
 * @throws TransportError gone, in place of not_found, if the operator has hidden or erased the record
 */
export async function orGone<Content>(
  { workspace }: PageContext,
  id: string,
  read: () => Promise<Content>,
): Promise<Content> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.failure.code !== 'not_found') throw error;
    const takedown = await readTakedown(workspace.store.read, id);
    // It may have been shown again since.
    if (takedown === undefined) return read();
    const done = takedown.action === 'hide' ? 'hid' : 'erased';
    const reason = inQuotes(cutText(takedown.reason, 200));
    const hold = holdWords(takedown.reason);
    const detail =
      hold === undefined
        ? `The operator ${done} this on ${formatDate(takedown.at)} (UTC). Reason: “${reason}”.`
        : `Hidden ${hold}.`;
    const { firstVisible } = takedown;
    throw new TransportError(
      'gone',
      detail,
      { Link: `<${workspace.service.baseUrl}/moderation>; rel="related"` },
      firstVisible === undefined ? {} : { thread: absoluteUrl(workspace.service, `/posts/${firstVisible}`) },
    );
  }
}
