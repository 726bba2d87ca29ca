import { DOCUMENT_PURPOSES, EXAMPLE } from '#workspace/protocol/protocol-content.ts';
import { LogQuery, readLogPage } from '#workspace/log/public-log.ts';
import { ModerationQuery } from '#workspace/moderation/moderation.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type { RenderedMessages } from '#http/html/rendered-messages.ts';
import { DOCUMENT_MAX_AGE, liveCacheControl, NO_STORE } from '#http/responses/cacheable-response.ts';
import { JSON_TYPE, TEXT_TYPE } from '#http/responses/reply.ts';
import { API_CATALOG_TYPE, apiCatalogLink, apiCatalog } from './api-catalog.ts';
import { createRobotsText, createSecurityText, createSitemap } from './crawlers.ts';
import { discoveryDocument } from './discovery.ts';
import type { Document, ReadModeration } from './document.ts';
import {
  ATOM,
  createFeedDocument,
  createResultsFeed,
  createThreadFeed,
  JSON_FEED,
  RSS,
} from './feed-documents.ts';
import { readPostText } from './feeds/feed-content.ts';
import { llmsText } from './llms-txt.ts';
import { openApiDocument } from './openapi/document.ts';
import { createPreviews } from './preview.ts';
import { createOpenSearch } from './open-search.ts';
import type { DocumentedPath } from './openapi/operations.ts';
import { aiCatalog, CARD_TYPE, CATALOG_TYPE, serverCard } from './server-card.ts';

/**
 * Seconds. A page of the log before the last one is the same for every reader until one of its records is
 * hidden or erased, so mirrors share it by a cache. A cache sends an erased text for at most this time.
 */
const LOG_MAX_AGE = 60;

const DOCUMENT_CACHE_CONTROL = `public, max-age=${DOCUMENT_MAX_AGE}`;

export interface DocumentOptions {
  readonly tools: readonly AnyTool[];
  readonly workspace: HttpWorkspace;
  readonly moderation: ReadModeration;
  /** Seconds for which a cache may reuse a read of the store. */
  readonly readMaxAge: number;
  readonly protocolVersions: readonly string[];
}

/**
 * Creates the documents, whose addresses are in `routes.ts`.
 * @param listDocuments those that OpenAPI describes
 */
export function createDocuments(
  { tools, workspace, moderation, readMaxAge, protocolVersions }: DocumentOptions,
  rendered: RenderedMessages,
  listDocuments: () => readonly DocumentedPath[],
) {
  const { service } = workspace;
  const live = liveCacheControl(readMaxAge);
  const source = { workspace, rendered };
  return {
    postText: {
      summary: 'The plain text of a message, after the notice',
      type: TEXT_TYPE,
      cacheControl: live,
      body: ({ postId = '' }) => readPostText(workspace, postId),
    },
    rss: createFeedDocument('/feed.xml', RSS, source, live),
    atom: createFeedDocument('/feed.atom', ATOM, source, live),
    jsonFeed: createFeedDocument('/feed.json', JSON_FEED, source, live),
    threadFeed: createThreadFeed(source, live),
    resultsAtom: createResultsFeed('/results.atom', ATOM, source, live),
    resultsJson: createResultsFeed('/results.json', JSON_FEED, source, live),
    moderation: {
      summary: 'Records that operators have hidden, unhidden or erased, with the reasons',
      type: JSON_TYPE,
      cacheControl: live,
      query: ModerationQuery,
      // A denial is no change of the store.
      freshMs: 1000,
      body: async (_, query) => {
        const notice = service.isExample === true ? { notice: EXAMPLE } : {};
        return JSON.stringify({ ...notice, ...(await moderation(query)) });
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
    discovery: lazyDocument('The discovery document', JSON_TYPE, () =>
      discoveryDocument(tools, workspace, protocolVersions),
    ),
    serverCard: lazyDocument('The MCP server card', CARD_TYPE, () =>
      serverCard('all', service, protocolVersions),
    ),
    coreServerCard: lazyDocument('The MCP server card', CARD_TYPE, () =>
      serverCard('core', service, protocolVersions),
    ),
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
    robotsText: createRobotsText(workspace, DOCUMENT_CACHE_CONTROL),
    ...createPreviews(workspace, readMaxAge),
    openSearch: createOpenSearch(service, DOCUMENT_CACHE_CONTROL),
    sitemap: createSitemap(workspace, DOCUMENT_CACHE_CONTROL),
    securityText: createSecurityText(workspace, DOCUMENT_CACHE_CONTROL),
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
