import { aiCatalogOf, CARD_TYPE, CATALOG_TYPE, serverCardOf } from './server-card.ts';
import { discoveryOf } from './discovery.ts';
import type { HttpAppOptions } from '#http/app-options.ts';
import { llmsTextOf } from './llms-txt.ts';
import { openApiOf } from './openapi/document.ts';
import { postText } from './post-text.ts';
import { RSS_TYPE, rssOf } from './rss.ts';
import { JSON_TYPE } from '#http/responses/reply.ts';
import { DOCUMENT_MAX_AGE, liveCacheControl } from '#http/responses/cacheable-response.ts';

const DOCUMENT_CACHE_CONTROL = `public, max-age=${DOCUMENT_MAX_AGE}`;

const TEXT_TYPE = 'text/plain; charset=utf-8';

/** A readable address that is not a tool. */
export interface Document {
  /** Parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly type: string;
  /** Value of Cache-Control. */
  readonly cacheControl: string;
  /** @param parameters of the path @throws WorkspaceError */
  readonly body: (parameters: Readonly<Record<string, string>>) => string | Promise<string>;
}

/** @returns the RSS feed and the machine-readable documents */
export function createDocuments(options: HttpAppOptions): Document[] {
  const { workspace, moderation, readMaxAge } = options;
  const live = liveCacheControl(readMaxAge);
  const discovery = lazyDocument(
    `/.well-known/${workspace.service.name}.json`,
    'The discovery document',
    () => discoveryOf(options),
  );
  const documents: Document[] = [
    {
      path: '/posts/{postId}.txt',
      summary: 'The text of a message as it was sent, below the notice',
      type: TEXT_TYPE,
      cacheControl: live,
      body: ({ postId = '' }) => postText(workspace, postId),
    },
    {
      path: '/feed.xml',
      summary: 'The newest messages as RSS 2.0',
      type: RSS_TYPE,
      cacheControl: live,
      body: () => rssOf(workspace),
    },
    {
      path: '/api/moderation',
      summary: 'What operators hid, brought back or erased, and why',
      type: JSON_TYPE,
      cacheControl: live,
      body: async () => JSON.stringify(await moderation()),
    },
    discovery,
    {
      ...lazyDocument('/mcp/server-card', 'The MCP server card', () => serverCardOf(options)),
      type: CARD_TYPE,
    },
    {
      ...lazyDocument('/.well-known/ai-catalog.json', 'What there is for AI on this host', () =>
        aiCatalogOf(options),
      ),
      type: CATALOG_TYPE,
    },
    {
      path: '/llms.txt',
      summary: 'What a model should know of this host',
      type: TEXT_TYPE,
      cacheControl: DOCUMENT_CACHE_CONTROL,
      body: () => llmsTextOf(options),
    },
  ];
  const openApi = { path: '/openapi.json', summary: 'This description of the interface' };
  const described = [...documents, { ...openApi, type: JSON_TYPE }];
  return [
    ...documents,
    lazyDocument(openApi.path, openApi.summary, () => openApiOf(options.tools, workspace, described)),
  ];
}

/** A JSON document that is made with the first request for it. */
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
