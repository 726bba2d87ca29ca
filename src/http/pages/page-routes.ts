import type { OutgoingHttpHeaders } from 'node:http';
import { createTypeChoice } from '#http/responses/accept.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { apiCatalogLink } from '#http/documents/api-catalog.ts';
import type { Document, DocumentContent, Reading } from '#http/documents/document.ts';
import { liveCacheControl } from '#http/responses/cacheable-response.ts';
import { createDocumentAnswer, type ReadRoute } from '#http/rest/read-routes.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import { fillIn } from '#tool/route.ts';
import { EXAMPLE } from '#workspace/protocol/protocol-content.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import { describeMirror } from '#workspace/service/mirror.ts';
import { HTML_TYPE, renderFrame } from './layout.ts';
import { toMarkdownPath, type Page, type PageQuery } from './parts/page.ts';
import { createPageQueryReader, toSearch } from './parts/page-query.ts';

export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

const MIRROR_MAX_AGE_MS = 60_000;

const TYPES = { html: HTML_TYPE, markdown: MARKDOWN_TYPE, json: JSON_TYPE };

type Form = keyof typeof TYPES;

/**
 * Creates two routes for each page: first its Markdown, then the page, whose parameter would match the
 * Markdown too.
 * @param commonHeaders of every read
 */
export function createPageRoutes(
  options: HttpAppOptions,
  pages: readonly Page[],
  commonHeaders: OutgoingHttpHeaders,
): ReadRoute[] {
  return pages.flatMap((page): ReadRoute[] => {
    const toQuery = createPageQueryReader(page);
    const toAnswer = (form: Form): ReadRoute['answer'] =>
      createDocumentAnswer(options, toDocument(options, page, form), commonHeaders, toQuery);
    const answers = { html: toAnswer('html'), markdown: toAnswer('markdown'), json: toAnswer('json') };
    return [
      { path: toMarkdownPath(page.path), answer: answers.markdown },
      {
        path: page.path,
        answer: (request, ...rest) => answers[chooseForm(page, request.headers.accept)](request, ...rest),
      },
    ];
  });
}

const FORMS = { 'text/html': 'html', 'text/markdown': 'markdown', 'application/json': 'json' } as const;

const chooseType = createTypeChoice(['text/html', 'text/markdown']);

const chooseTypeWithJson = createTypeChoice(['text/html', 'text/markdown', 'application/json']);

function chooseForm({ json }: Page, accept: string | undefined): Form {
  return FORMS[json === undefined ? chooseType(accept) : chooseTypeWithJson(accept)];
}

/** One form of a page. */
function toDocument({ workspace, readMaxAge }: HttpAppOptions, page: Page, form: Form): Document {
  const { mirror, isExample = false } = workspace.service;
  // A page that depends on the clock may change at any time, unless it does so at midnight only.
  const isSteady = page.maxAgeMs === undefined || page.maxAgeMs === DAY_MS;
  const toPath = (target: string): string => (form === 'html' ? target : toMarkdownPath(target));

  const read = async (
    parameters: PageQuery,
    query: PageQuery,
    reading: Reading,
  ): Promise<DocumentContent> => {
    const content = await page.read(parameters, query, reading);
    await reading.pause();
    if ('fragment' in content) {
      const { path: target, search = '', fragment } = content;
      const address = absoluteUrl(workspace.service, toPath(target));
      return { text: '', location: `${address}${search}#${fragment}` };
    }
    if (form === 'markdown') {
      const above = [
        ...(isExample ? [EXAMPLE] : []),
        ...(mirror === undefined ? [] : [`This is a read-only ${describeMirror(mirror)}.`]),
      ];
      return { text: `${[...above, ...content.markdown()].join('\n\n')}\n` };
    }
    const path = fillIn(page.path, (name) => encodeURIComponent(parameters[name] ?? ''));
    const markdownPath = `${toMarkdownPath(path)}${toSearch(query)}`;
    return { text: renderFrame(workspace, { ...content, path, markdownPath, body: content.body() }) };
  };

  return {
    path: page.path,
    summary: '',
    type: TYPES[form],
    cacheControl: liveCacheControl(isSteady ? readMaxAge : 0),
    link: page.path === '/' ? apiCatalogLink(workspace) : undefined,
    vary: 'Accept',
    headers: page.headers,
    // "as of" changes though the store does not.
    freshMs: page.maxAgeMs ?? (mirror && MIRROR_MAX_AGE_MS),
    body: (parameters, query, reading) =>
      form === 'json'
        ? JSON.stringify(page.json?.())
        : // Every parameter of a page is a string.
          read(parameters, query as PageQuery, reading),
  };
}
