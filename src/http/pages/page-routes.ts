import { createTypeChoice } from '#http/responses/accept.ts';
import { apiCatalogLink } from '#http/documents/discovery.ts';
import type { Document, DocumentContent } from '#http/responses/document.ts';
import { liveCacheControl } from '#http/responses/cacheable-response.ts';
import { createDocumentRead, type ReadOptions } from '#http/rest/read-routes.ts';
import type { Route } from '#http/responses/reply.ts';
import { fillIn } from '#tool/route.ts';
import { EXAMPLE } from '#workspace/protocol/protocol-content.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { DAY_MS, MINUTE_MS } from '#workspace/text/time.ts';
import { mirrorNotice } from '#workspace/service/mirror.ts';
import { renderFrame } from './layout.ts';
import { toMarkdownPath, toSearch, type Page, type PageQuery } from './parts/page.ts';

type Format = 'text/html' | 'text/markdown' | 'application/json';

/** Creates the route of the Markdown of a page, then the route of the page, which would match both. */
export function createPageRoutes(path: string, page: Page, options: ReadOptions): Route[] {
  const toServe = (format: Format): Route['serve'] =>
    createDocumentRead(path, toDocument(path, page, format, options), options);
  const routes = {
    'text/html': toServe('text/html'),
    'text/markdown': toServe('text/markdown'),
    'application/json': toServe('application/json'),
  };
  const others: Format[] = page.json === undefined ? [] : ['application/json'];
  const choose = createTypeChoice<Format>(['text/html', 'text/markdown', ...others]);
  return [
    { method: 'GET', path: toMarkdownPath(path), serve: routes['text/markdown'] },
    { method: 'GET', path, serve: (asked) => routes[choose(asked.request.headers.accept)](asked) },
  ];
}

function toDocument(pagePath: string, page: Page, format: Format, options: ReadOptions): Document {
  const { workspace, readMaxAge } = options;
  const { mirror, isExample = false } = workspace.service;
  // A page that depends on the clock may change at any time, unless it does so at midnight only.
  const isSteady = page.maxAgeMs === undefined || page.maxAgeMs === DAY_MS;
  const toPath = (target: string): string => (format === 'text/html' ? target : toMarkdownPath(target));

  const read = async (...asked: Parameters<Page['read']>): Promise<DocumentContent> => {
    const [parameters, query, reading] = asked;
    const content = await page.read(parameters, query, reading);
    await reading.pause();
    if ('fragment' in content) {
      const { path: target, search = '', fragment } = content;
      const url = absoluteUrl(workspace.service, toPath(target));
      return { text: '', location: `${url}${search}#${fragment}` };
    }
    if (format === 'text/markdown') {
      const above = [isExample ? EXAMPLE : '', mirror && mirrorNotice(mirror)];
      return { text: `${[...above, ...content.markdown()].filter(Boolean).join('\n\n')}\n` };
    }
    const path = fillIn(pagePath, (name) => encodeURIComponent(parameters[name] ?? ''));
    const search = toSearch(query);
    const markdownPath = toMarkdownPath(path) + search;
    return { text: renderFrame(workspace, { ...content, path, search, markdownPath, body: content.body() }) };
  };

  return {
    type: `${format}; charset=utf-8`,
    ...(page.query && { query: page.query }),
    cacheControl: liveCacheControl(isSteady ? readMaxAge : 0),
    link: pagePath === '/' ? apiCatalogLink(workspace) : undefined,
    vary: 'Accept',
    headers: page.headers,
    // "as of" changes even when the store does not.
    freshMs: page.maxAgeMs ?? (mirror && MINUTE_MS),
    body: (parameters, query, reading) =>
      format === 'application/json'
        ? JSON.stringify(page.json?.())
        : // Every parameter of a page is a string.
          read(parameters, query as PageQuery, reading),
  };
}
