import type { OutgoingHttpHeaders } from 'node:http';
import { prefersJson, prefersMarkdown } from '#http/accept.ts';
import type { HttpAppOptions } from '#http/app-options.ts';
import {
  createCacheable,
  liveCacheControl,
  type CacheableResponse,
} from '#http/responses/cacheable-response.ts';
import type { ReadRoute } from '#http/rest/read-routes.ts';
import type { CachedResult } from '#tool/cached-result.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import { fillIn } from '#tool/route.ts';
import { addressOf } from '#workspace/addresses.ts';
import { HTML_TYPE, renderFrame } from './layout.ts';
import type { Page, PageQuery } from './page.ts';
import { createPageQueryReader, searchOf } from './page-query.ts';

export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

type Form = 'html' | 'markdown';

const TYPES: Readonly<Record<Form, string>> = { html: HTML_TYPE, markdown: MARKDOWN_TYPE };

/**
 * @param asJson what `/` is to a client that asks for JSON
 * @param commonHeaders of every read
 * @returns for each page the route of its Markdown, then that of the page, whose parameter would match the Markdown too
 */
export function createPageRoutes(
  options: HttpAppOptions,
  pages: readonly Page[],
  asJson: ReadRoute | undefined,
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute[] {
  return pages.flatMap((page) => {
    const read = createPageReader(options, page, commonHeaders);
    return [
      { path: markdownPathOf(page.path), read: (parameters, query) => read('markdown', parameters, query) },
      {
        path: page.path,
        read: (parameters, query, accept) => {
          if (asJson !== undefined && page.path === '/' && prefersJson(accept))
            return asJson.read(parameters, query, accept);
          return read(prefersMarkdown(accept) ? 'markdown' : 'html', parameters, query);
        },
      },
    ] satisfies ReadRoute[];
  });
}

/** @returns the path under which a page is Markdown */
export function markdownPathOf(path: string): string {
  return path === '/' ? '/index.md' : `${path}.md`;
}

type PageReader = (
  form: Form,
  parameters: PageQuery,
  query: URLSearchParams,
) => MaybePromise<CacheableResponse>;

function createPageReader(
  { workspace, results, readMaxAge }: HttpAppOptions,
  page: Page,
  commonHeaders: OutgoingHttpHeaders,
): PageReader {
  const toQuery = createPageQueryReader(page.query);
  // What depends on the clock may change at any time.
  const cacheControl = liveCacheControl(page.maxAgeMs === undefined ? readMaxAge : 0);
  const link =
    page.path === '/'
      ? `<${addressOf(workspace.service, '/.well-known/api-catalog')}>; rel="api-catalog"`
      : undefined;
  const createForm = (type: string) => {
    const shared = { type, cacheControl, link, vary: 'Accept' };
    return ({ text, output: { location } }: CachedResult): CacheableResponse =>
      createCacheable({ text, ...shared, ...(typeof location === 'string' && { location }) }, commonHeaders);
  };
  const forms = { html: createForm(TYPES.html), markdown: createForm(TYPES.markdown) };

  const make = async (form: Form, parameters: PageQuery, query: PageQuery) => {
    let expiresAt = Infinity;
    const content = await page.read(parameters, query, (time) => {
      expiresAt = Math.min(expiresAt, time);
    });
    const pathOf = (path: string): string => (form === 'html' ? path : markdownPathOf(path));
    if ('fragment' in content) {
      const { path, search = '', fragment } = content;
      const location = `${addressOf(workspace.service, pathOf(path))}${search}#${fragment}`;
      return { input: query, output: { location }, text: '', expiresAt };
    }
    const path = fillIn(page.path, (name) => parameters[name] ?? '');
    const text =
      form === 'markdown'
        ? content.markdown()
        : renderFrame(workspace, {
            ...content,
            path,
            markdownPath: `${markdownPathOf(path)}${searchOf(query)}`,
            body: content.body(),
          });
    return { input: query, output: {}, text, expiresAt };
  };

  return (form, parameters, search) => {
    const query = toQuery(search);
    const path = fillIn(page.path, (name) => parameters[name] ?? '');
    const lifetime =
      page.maxAgeMs === undefined ? undefined : { now: workspace.now(), maxAge: page.maxAgeMs };
    return chain(
      results.read(`${form} ${path}${searchOf(query)}`, () => make(form, parameters, query), lifetime),
      (result) => result.form(forms[form]),
    );
  };
}
