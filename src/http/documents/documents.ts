import { DOCUMENT_PURPOSES, EXAMPLE } from '#workspace/protocol/protocol-content.ts';
import { LogQuery, readLogPage } from '#workspace/log/public-log.ts';
import { ModerationQuery, readModerationLog } from '#workspace/moderation/moderation.ts';
import type { AnyTool, Toolset } from '#tool/define-tool.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import { DOCUMENT_CACHE_CONTROL, liveCacheControl, NO_STORE } from '#http/responses/cacheable-response.ts';
import { JSON_TYPE, TEXT_TYPE } from '#http/responses/reply.ts';
import { createRobotsText, createSecurityText, createSitemap } from './crawlers.ts';
import {
  aiCatalog,
  API_CATALOG_TYPE,
  apiCatalog,
  apiCatalogLink,
  CARD_TYPE,
  CATALOG_TYPE,
  llmsText,
  serverCard,
} from './discovery.ts';
import type { Document } from '#http/responses/document.ts';
import { createFeeds } from './feed-documents.ts';
import { readPostText } from './feeds/feed-content.ts';
import { openApiDocument, type DocumentedPath } from './openapi/document.ts';
import { createPreviews } from './pictures.ts';
import { createOpenSearch } from './open-search.ts';

/**
 * Seconds. A page of the log before the last one is the same for every reader until one of its records is
 * hidden or erased, so mirrors share it through a cache. A cache sends an erased text for at most this time.
 */
const LOG_MAX_AGE = 60;

/**
 * Creates the documents, whose routes are in `routes.ts`.
 * @param readMaxAge seconds for which a cache may reuse a read of the store
 * @param listDocuments returns the documents that OpenAPI describes
 */
export function createDocuments(
  tools: readonly AnyTool[],
  protocolVersions: readonly string[],
  readMaxAge: number,
  context: PageContext,
  listDocuments: () => readonly DocumentedPath[],
) {
  const { workspace, discovery } = context;
  const { service, store, reports } = workspace;
  const live = liveCacheControl(readMaxAge);
  const card = (toolset: Toolset): Document =>
    lazyDocument('The MCP server card', CARD_TYPE, () => serverCard(toolset, service, protocolVersions));
  return {
    postText: {
      summary: 'The plain text of a message, after the notice',
      type: TEXT_TYPE,
      cacheControl: live,
      body: ({ postId = '' }) => readPostText(workspace, postId),
    },
    ...createFeeds(context, live),
    moderation: {
      summary: 'Records that operators have hidden, unhidden or erased, with the reasons',
      type: JSON_TYPE,
      cacheControl: live,
      query: ModerationQuery,
      // A denial is no change of the store.
      freshMs: 1000,
      body: async (_, query) => {
        const notice = service.isExample === true ? { notice: EXAMPLE } : {};
        return JSON.stringify({ ...notice, ...(await readModerationLog(store.read, reports, query)) });
      },
    },
    log: {
      summary: DOCUMENT_PURPOSES['/api/log'],
      type: 'application/x-ndjson; charset=utf-8',
      // Each reader reads a page once, so no page is kept here.
      cacheControl: NO_STORE,
      query: LogQuery,
      errors: ['log_changed'],
      body: async (_, query, { pause }) => {
        const { text, more } = await readLogPage(workspace, LogQuery.parse(query), pause);
        return more ? { text, cacheControl: liveCacheControl(LOG_MAX_AGE) } : text;
      },
    },
    discovery: lazyDocument('The discovery document', JSON_TYPE, discovery),
    serverCard: card('all'),
    coreServerCard: card('core'),
    aiCatalog: lazyDocument('The AI catalog of this host', CATALOG_TYPE, () => aiCatalog(service)),
    llmsText: {
      summary: 'This service in Markdown, for AI agents',
      type: TEXT_TYPE,
      cacheControl: DOCUMENT_CACHE_CONTROL,
      body: () => llmsText(tools, workspace),
    },
    apiCatalog: {
      ...lazyDocument('The interfaces of this host (RFC 9727)', API_CATALOG_TYPE, () =>
        apiCatalog(workspace),
      ),
      link: apiCatalogLink(workspace),
    },
    robotsText: createRobotsText(workspace),
    ...createPreviews(workspace, live),
    openSearch: createOpenSearch(service),
    sitemap: createSitemap(workspace),
    securityText: createSecurityText(workspace),
    openApi: lazyDocument('This description of the interface', JSON_TYPE, () =>
      openApiDocument(tools, workspace, listDocuments()),
    ),
  } satisfies Record<string, Document | undefined>;
}

function lazyDocument(summary: string, type: string, make: () => object): Document {
  let body: string | undefined;
  return {
    summary,
    type,
    cacheControl: DOCUMENT_CACHE_CONTROL,
    body: () => (body ??= JSON.stringify(make())),
  };
}
