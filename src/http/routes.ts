import { isRead, type AnyTool } from '#tool/define-tool.ts';
import { LINK_PATH, type OperatorLinks } from '#workspace/moderation/operator-links.ts';
import type { ServiceHealth } from '#workspace/limits/health.ts';
import type { CommonHeaders } from './common-headers.ts';
import { discoveryDocument } from './documents/discovery.ts';
import type { Document } from './responses/document.ts';
import { createDocuments } from './documents/documents.ts';
import { createHealthCheck } from './documents/health.ts';
import { OPEN_SEARCH_PATH } from './documents/open-search.ts';
import { FAVICON_PICTURE, ICON_PICTURE, PREVIEW_PATH } from './documents/pictures.ts';
import { createRedirect } from './documents/redirects.ts';
import { STYLE_PATH, STYLE_SHEET } from './documents/style-sheet.ts';
import type { AccessPolicy } from '#http/guards/access.ts';
import { RenderedMessages } from './html/rendered-messages.ts';
import { createMessageHandler } from './mcp-messages.ts';
import type { McpEndpoint } from '#tool/mcp-endpoint.ts';
import { createAboutPage, createAgentsPage } from './pages/about-page.ts';
import { createArchivePage, createDayPage } from './pages/archive-pages.ts';
import { createFeedPage } from './pages/feed-page.ts';
import { createHomePage } from './pages/home-page.ts';
import { toBasePath } from './pages/layout.ts';
import { createModerationPage } from './pages/moderation-page.ts';
import { createOperatorPage } from './pages/operator-page.ts';
import { createPageRoutes } from './pages/page-routes.ts';
import type { Page, PageContext } from './pages/parts/page.ts';
import { createGuestbookPage, createProjectPage, createProjectsPage } from './pages/porch-pages.ts';
import { createReportForm, createReportPage } from './pages/report-page.ts';
import { createResultsPage } from './pages/results-page.ts';
import { createThreadPage } from './pages/thread/thread-page.ts';
import { createWorkPage } from './pages/work-page.ts';
import type { FailureReply } from './responses/problem.ts';
import type { Route } from './responses/reply.ts';
import { createDocumentRead, createRead, createWait, type ReadOptions } from './rest/read-routes.ts';
import { createWrite } from './rest/write-routes.ts';

export interface RouteOptions extends Omit<ReadOptions, 'commonHeaders'> {
  readonly tools: readonly AnyTool[];
  readonly mcp: McpEndpoint;
  readonly coreMcp: McpEndpoint;
  readonly accessPolicy: AccessPolicy;
  /** Undefined on a mirror. */
  readonly links?: OperatorLinks | undefined;
  readonly health: () => Promise<ServiceHealth>;
}

type RoutePattern = `GET /${string}` | `POST /${string}`;

interface Entry extends Route {
  /** Set for the route of a document or a file. */
  readonly document?: Document;
}

/**
 * Creates the table of all routes. The first line that matches a request serves it.
 * @throws Error if the tool of the report form is missing
 */
export function createRoutes(
  options: RouteOptions,
  { headers, mcpHeaders }: CommonHeaders,
  failureReply: FailureReply,
): Route[] {
  const { tools, workspace, mcp, coreMcp } = options;
  const { service } = workspace;
  const reading: ReadOptions = { ...options, commonHeaders: headers };
  const rendered = new RenderedMessages();
  workspace.store.watch(({ action, id }) => {
    if (action === 'hide' || action === 'erase') rendered.forget(id);
  });
  const { protocolVersions } = mcp;
  const base = toBasePath(service.baseUrl);
  const pageContext: PageContext = {
    workspace,
    discovery: () => discoveryDocument(tools, workspace, protocolVersions),
    rendered,
    href: (path) => `${base}${path}`,
  };
  const documents = createDocuments(tools, protocolVersions, options.readMaxAge, pageContext, () =>
    table.flatMap(({ path, document }) =>
      document?.summary === undefined ? [] : [{ path, ...document, summary: document.summary }],
    ),
  );

  const toolRoute = (tool: AnyTool): Route => {
    if (tool.waiting !== undefined) return route(tool.http, createWait(tool, reading));
    return route(
      tool.http,
      isRead(tool) ? createRead(tool, reading) : createWrite(tool, reading, failureReply),
    );
  };
  const document = (pattern: RoutePattern, served: Document): Entry => ({
    ...route(pattern, createDocumentRead(toPath(pattern), served, reading)),
    document: served,
  });
  const page = (pattern: RoutePattern, create: (context: PageContext) => Page): Route[] =>
    createPageRoutes(toPath(pattern), create(pageContext), reading);
  const redirect = (pattern: RoutePattern, target: string): Route =>
    route(pattern, createRedirect(target, service, headers));

  const reportTool = tools.find(({ name }) => name === 'report_message');
  if (reportTool === undefined) throw new Error('there is no tool report_message');
  const operatorPage = options.links && createOperatorPage(options.links, workspace, headers);

  const table: Entry[] = [
    route('POST /mcp', createMessageHandler(mcp, mcpHeaders)),
    route('POST /mcp/core', createMessageHandler(coreMcp, mcpHeaders)),

    // Each tool at the route that its file in `tools/` declares.
    ...tools.map(toolRoute),

    // Documents and feeds.
    document('GET /posts/{postId}.txt', documents.postText),
    document('GET /feed.xml', documents.rss),
    document('GET /feed.atom', documents.atom),
    document('GET /feed.json', documents.jsonFeed),
    document('GET /posts/{postId}/feed.atom', documents.threadFeed),
    document('GET /results.atom', documents.resultsAtom),
    document('GET /results.json', documents.resultsJson),
    document('GET /api/moderation', documents.moderation),
    document('GET /api/log', documents.log),
    document(`GET /.well-known/${service.name}.json`, documents.discovery),
    document('GET /mcp/server-card', documents.serverCard),
    document('GET /mcp/core/server-card', documents.coreServerCard),
    document('GET /.well-known/ai-catalog.json', documents.aiCatalog),
    document('GET /llms.txt', documents.llmsText),
    document('GET /.well-known/api-catalog', documents.apiCatalog),
    document('GET /robots.txt', documents.robotsText),
    document('GET /sitemap.xml', documents.sitemap),
    ...(documents.securityText ? [document('GET /.well-known/security.txt', documents.securityText)] : []),
    document('GET /icon.svg', ICON_PICTURE),
    document('GET /openapi.json', documents.openApi),
    document(`GET ${OPEN_SEARCH_PATH}`, documents.openSearch),
    document(`GET ${PREVIEW_PATH}`, documents.preview),
    document(`GET /posts/{postId}${PREVIEW_PATH}`, documents.threadPreview),
    document('GET /favicon.ico', FAVICON_PICTURE),
    document(`GET ${STYLE_PATH}`, STYLE_SHEET),

    // Pages for people. Each has Markdown at the same path with `.md` at its end, the first at /index.md.
    ...page('GET /', createHomePage),
    ...page('GET /posts/{postId}', createThreadPage),
    ...page('GET /feed', createFeedPage),
    ...page('GET /work', createWorkPage),
    ...page('GET /results', createResultsPage),
    ...page('GET /archive', createArchivePage),
    ...page('GET /archive/{day}', createDayPage),
    ...page('GET /projects', createProjectsPage),
    ...page('GET /projects/{projectId}', createProjectPage),
    ...page('GET /guestbook', createGuestbookPage),
    ...page('GET /moderation', createModerationPage),
    ...page('GET /report', createReportPage),
    ...page('GET /about', createAboutPage),
    ...page('GET /agents', createAgentsPage),
    route('POST /report', createReportForm(reportTool, workspace, options.accessPolicy, headers)),

    // The private page of a record. Messages to HOOK_URL contain its URL.
    ...(operatorPage === undefined
      ? []
      : [
          route(`GET ${LINK_PATH}{secret}`, operatorPage.read),
          route(`POST ${LINK_PATH}{secret}`, operatorPage.judge),
        ]),

    // Paths that feed readers guess.
    redirect('GET /rss', '/feed.xml'),
    redirect('GET /rss.xml', '/feed.xml'),
    redirect('GET /atom.xml', '/feed.atom'),

    route('GET /healthz', createHealthCheck(options.health, service, headers)),
  ];
  return table;
}

function route(pattern: RoutePattern, serve: Route['serve']): Route {
  return { method: pattern.startsWith('GET ') ? 'GET' : 'POST', path: toPath(pattern), serve };
}

function toPath(pattern: RoutePattern): string {
  return pattern.slice(pattern.indexOf(' ') + 1);
}
