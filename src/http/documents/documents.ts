import { ICON } from '#workspace/service/icon.ts';
import { NOTICE, DOCUMENT_PURPOSES, sayExample } from '#workspace/protocol/protocol-content.ts';
import { LogQuery } from '#workspace/log/public-log.ts';
import { API_CATALOG_TYPE, apiCatalogLink, apiCatalog } from './api-catalog.ts';
import { aiCatalog, CARD_TYPE, CATALOG_TYPE, serverCards } from './server-card.ts';
import type { Document } from './document.ts';
import { createFeedDocuments } from './feed-documents.ts';
import { createCrawlerDocuments } from './crawlers.ts';
import { discoveryDocument } from './discovery.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import type { RenderedMessages } from '#http/html/rendered-messages.ts';
import { markLines } from '#http/html/stranger-text.ts';
import { llmsText } from './llms-txt.ts';
import { openApiDocument } from './openapi/document.ts';
import { createPictures } from './pictures.ts';
import { STYLE_SHEET } from './style-sheet.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import { ModerationQuery } from '#workspace/moderation/moderation.ts';
import { DOCUMENT_MAX_AGE, liveCacheControl, NO_STORE } from '#http/responses/cacheable-response.ts';

/**
 * Seconds. A page of the log that others follow is the same for every reader until one of its records is hidden
 * or erased, so mirrors share it by a cache. For so long a cache sends it with an erased text.
 */
const LOG_MAX_AGE = 60;

const DOCUMENT_CACHE_CONTROL = `public, max-age=${DOCUMENT_MAX_AGE}`;

/** A week, because the icon changes only with a version. */
const ICON_CACHE_CONTROL = 'public, max-age=604800';

const TEXT_TYPE = 'text/plain; charset=utf-8';

export function createDocuments(options: HttpAppOptions, rendered: RenderedMessages): Document[] {
  const { workspace, moderation, readMaxAge } = options;
  const live = liveCacheControl(readMaxAge);
  const discovery = lazyDocument(
    `/.well-known/${workspace.service.name}.json`,
    'The discovery document',
    () => discoveryDocument(options),
  );
  const documents: Document[] = [
    {
      path: '/posts/{postId}.txt',
      summary: 'The plain text of a message, below the notice',
      type: TEXT_TYPE,
      cacheControl: live,
      body: async ({ postId = '' }) => {
        const { post } = await workspace.feed.thread({ postId, limit: 1 });
        return `${sayExample(workspace.service, NOTICE)}\n\n${markLines(post.message)}`;
      },
    },
    ...createFeedDocuments({ workspace, rendered }, live),
    {
      path: '/api/moderation',
      summary: 'Records that operators have hidden, unhidden or erased, with the reasons',
      type: JSON_TYPE,
      cacheControl: live,
      query: ModerationQuery,
      // A denial is no change of the store.
      freshMs: 1000,
      body: async (_, query) => JSON.stringify(await moderation(query)),
    },
    {
      path: '/api/log',
      summary: DOCUMENT_PURPOSES['/api/log'],
      type: 'application/x-ndjson; charset=utf-8',
      // Each reader reads a page once, so no page is kept here.
      cacheControl: NO_STORE,
      query: LogQuery,
      errors: ['log_changed'],
      body: async (_, query, { pause }) => {
        const { text, more } = await workspace.publicLog(LogQuery.parse(query), pause);
        return more ? { text, cacheControl: liveCacheControl(LOG_MAX_AGE) } : text;
      },
    },
    discovery,
    ...serverCards(options).map(({ path, card }) => ({
      ...lazyDocument(path, 'The MCP server card', () => card),
      type: CARD_TYPE,
    })),
    {
      ...lazyDocument('/.well-known/ai-catalog.json', 'The AI catalog of this host', () =>
        aiCatalog(options),
      ),
      type: CATALOG_TYPE,
    },
    {
      path: '/llms.txt',
      summary: 'This service in Markdown, for a language model',
      type: TEXT_TYPE,
      cacheControl: DOCUMENT_CACHE_CONTROL,
      body: () => llmsText(options),
    },
    {
      ...lazyDocument('/.well-known/api-catalog', 'The interfaces of this host (RFC 9727)', () =>
        apiCatalog(workspace),
      ),
      type: API_CATALOG_TYPE,
      link: apiCatalogLink(workspace),
    },
    ...createCrawlerDocuments(workspace, DOCUMENT_CACHE_CONTROL),
    {
      path: '/icon.svg',
      summary: 'The icon of this service',
      type: 'image/svg+xml',
      cacheControl: ICON_CACHE_CONTROL,
      body: () => ICON,
    },
  ];
  const openApi = { path: '/openapi.json', summary: 'This description of the interface' };
  const described = [...documents, { ...openApi, type: JSON_TYPE }];
  return [
    ...documents,
    ...createPictures(ICON_CACHE_CONTROL),
    STYLE_SHEET,
    lazyDocument(openApi.path, openApi.summary, () => openApiDocument(options.tools, workspace, described)),
  ];
}

/** A JSON document that its first request creates. */
function lazyDocument(path: string, summary: string, make: () => object): Document {
  let body: string | undefined;
  return {
    path,
    summary,
    type: JSON_TYPE,
    cacheControl: DOCUMENT_CACHE_CONTROL,
    body: () => (body ??= JSON.stringify(make())),
  };
}
