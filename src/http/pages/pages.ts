import type { HttpAppOptions } from '#http/options/app-options.ts';
import { discoveryDocument } from '#http/documents/discovery.ts';
import type { RenderedMessages } from '#http/html/rendered-messages.ts';
import { createAgentsPage } from './agents-page.ts';
import { createAboutPage } from './about-page.ts';
import { createArchivePage } from './archive-page.ts';
import { createDayPage } from './day-page.ts';
import { createFeedPage } from './feed-page.ts';
import { createGuestbookPage } from './guestbook-page.ts';
import { createHomePage } from './home-page.ts';
import { toBasePath } from './layout.ts';
import { createModerationPage } from './moderation-page.ts';
import type { Page, PageContext } from './parts/page.ts';
import { createProjectPage } from './project-page.ts';
import { createProjectsPage } from './projects-page.ts';
import { createReportPage } from './report-page.ts';
import { createResultsPage } from './results-page.ts';
import { createThreadPage } from './thread/thread-page.ts';
import { createWorkPage } from './work-page.ts';

export function createPages(options: HttpAppOptions, rendered: RenderedMessages): Page[] {
  const { workspace, moderation } = options;
  const base = toBasePath(workspace.service.baseUrl);
  const context: PageContext = {
    workspace,
    moderation,
    discovery: () => discoveryDocument(options),
    rendered,
    href: (path) => `${base}${path}`,
  };
  return [
    createHomePage,
    createThreadPage,
    createFeedPage,
    createWorkPage,
    createResultsPage,
    createArchivePage,
    createDayPage,
    createProjectsPage,
    createProjectPage,
    createGuestbookPage,
    createModerationPage,
    createReportPage,
    createAboutPage,
    createAgentsPage,
  ].map((create) => create(context));
}
