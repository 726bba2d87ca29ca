import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { prefersJson, prefersMarkdown } from '#http/responses/accept.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { apiCatalogLink } from '#http/documents/api-catalog.ts';
import { createCacheable, liveCacheControl } from '#http/responses/cacheable-response.ts';
import { createEncoder } from '#http/responses/encoded-response.ts';
import type { ReadRoute } from '#http/rest/read-routes.ts';
import { readQuery } from '#http/rest/tool-arguments.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import { chain } from '#tool/maybe-promise.ts';
import { fillIn } from '#tool/route.ts';
import { absoluteUrl } from '#workspace/service.ts';
import { DAY_MS } from '#workspace/text/time.ts';
import { describeMirror } from '#workspace/mirror.ts';
import { HTML_TYPE, renderFrame } from './layout.ts';
import { toMarkdownPath, type Page, type PageQuery, type PageReading } from './parts/page.ts';
import { createPageQueryReader, toSearch } from './parts/page-query.ts';

export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

const MIRROR_MAX_AGE_MS = 60_000;

type Form = 'html' | 'markdown' | 'json';

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
  return pages.flatMap((page) => {
    const answerIn = createPageAnswers(options, page, commonHeaders);
    return [
      { path: toMarkdownPath(page.path), answer: answerIn(() => 'markdown') },
      { path: page.path, answer: answerIn(({ accept }) => chooseForm(page, accept)) },
    ];
  });
}

function chooseForm({ json }: Page, accept: string | undefined): Form {
  if (json !== undefined && prefersJson(accept)) return 'json';
  return prefersMarkdown(accept) ? 'markdown' : 'html';
}

/** Creates a function that creates the responses of a page in one form. */
function createPageAnswers(
  { workspace, results, compressor, readMaxAge }: HttpAppOptions,
  page: Page,
  commonHeaders: OutgoingHttpHeaders,
): (choose: (headers: IncomingHttpHeaders) => Form) => ReadRoute['answer'] {
  const toQuery = createPageQueryReader(page);
  const { mirror } = workspace.service;
  // "as of" changes though the store does not.
  const maxAgeMs = page.maxAgeMs ?? (mirror && MIRROR_MAX_AGE_MS);
  // A page that depends on the clock may change at any time, unless it does so at midnight only.
  const isSteady = page.maxAgeMs === undefined || page.maxAgeMs === DAY_MS;
  const cacheControl = liveCacheControl(isSteady ? readMaxAge : 0);
  const link = page.path === '/' ? apiCatalogLink(workspace) : undefined;
  const createFormEncoder = (type: string) => {
    const shared = { type, cacheControl, link, vary: 'Accept' };
    return createEncoder(
      ({ text, output: { location } }) =>
        createCacheable(
          { text, ...shared, ...(typeof location === 'string' && { location }) },
          { ...commonHeaders, ...page.headers },
        ),
      compressor,
    );
  };
  const encoders = {
    html: createFormEncoder(HTML_TYPE),
    markdown: createFormEncoder(MARKDOWN_TYPE),
    json: createFormEncoder(JSON_TYPE),
  };

  const make = async (
    form: Form,
    path: string,
    parameters: PageQuery,
    query: PageQuery,
    reading: PageReading,
  ) => {
    if (form === 'json') return { input: query, output: {}, text: JSON.stringify(page.json?.()) };
    const content = await page.read(parameters, query, reading);
    await reading.pause();
    const toPath = (target: string): string => (form === 'html' ? target : toMarkdownPath(target));
    if ('fragment' in content) {
      const { path: target, search = '', fragment } = content;
      const location = `${absoluteUrl(workspace.service, toPath(target))}${search}#${fragment}`;
      return { input: query, output: { location }, text: '' };
    }
    const mirrorLine = mirror === undefined ? '' : `This is a read-only ${describeMirror(mirror)}.\n\n`;
    const text =
      form === 'markdown'
        ? `${mirrorLine}${content.markdown().join('\n\n')}\n`
        : renderFrame(workspace, {
            ...content,
            path,
            markdownPath: `${toMarkdownPath(path)}${toSearch(query)}`,
            body: content.body(),
          });
    return { input: query, output: {}, text };
  };

  return (choose) => (request, response, parameters, caller) => {
    const form = choose(request.headers);
    const query = toQuery(readQuery(request.url ?? ''));
    // The path and the query are the key of the result. A decoded parameter could contain a question mark.
    const path = fillIn(page.path, (name) => encodeURIComponent(parameters[name] ?? ''));
    const lifetime = maxAgeMs === undefined ? undefined : { now: workspace.now(), maxAge: maxAgeMs };
    return chain(
      results.read(`${form} ${path}${toSearch(query)}`, {
        caller,
        form: encoders[form].plain,
        make: (pause, expireAt) => make(form, path, parameters, query, { pause, expireAt }),
        lifetime,
      }),
      (result) => encoders[form].send(request, response, result, caller),
    );
  };
}
