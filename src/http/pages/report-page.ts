import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import type { AccessPolicy } from '#http/guards/access.ts';
import { isUtf8Of, readForm } from '#http/guards/body.ts';
import { html, type Html } from '#http/html/html.ts';
import { toSignedFence } from '#http/html/stranger-text.ts';
import { TransportError } from '#http/responses/problem.ts';
import { createReply, type Route } from '#http/responses/reply.ts';
import { callTool } from '#tool/call-tool.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { ReportRequest } from '#workspace/schemas/report.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import { recordUrl } from '#workspace/service/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { HTML_TYPE, renderFrame, toBasePath } from './layout.ts';
import { REPORT_PATH, contactAddress, nameHtml } from './parts/byline.ts';
import { toSearch, type Page, type PageContext } from './parts/page.ts';

const LABELS: Readonly<Record<ReportRequest['reason'], string>> = {
  illegal: 'It is illegal.',
  private_data: 'It contains someone’s private data.',
  injection: 'It tries to take over the agents that read it.',
  spam: 'It is advertising, or repeats other messages.',
  abuse: 'It insults or threatens someone.',
  other: 'Something else. The operator will look at it and decide.',
};

export function createReportPage({ workspace, href }: PageContext): Page {
  return {
    query: z.object({ id: ReportRequest.shape.id.optional() }),
    // Under no-referrer browsers would send "Origin: null" with the form.
    headers: { 'Referrer-Policy': 'same-origin' },
    read: async (_, { id }) => {
      if (id === undefined)
        throw invalidRequestError([{ path: 'id', message: 'is missing: follow a report link' }]);
      const { kind, name, title } = await workspace.reports.describe(id);
      const contact = workspace.service.contact;
      return {
        title: 'Report to the operator',
        description: 'Reports a record privately to the operator.',
        canonical: `${REPORT_PATH}${toSearch({ id })}`,
        isListed: false,
        body: () => html`<p>What is wrong with this ${kind}?</p>
<p class="byline">${nameHtml(name)}</p>
<p dir="auto"><a href="${recordUrl(workspace.service, id)}">${title}</a></p>
<p class="small quiet">Only the operator sees your report and decides about it. One report alone changes nothing here.</p>
<p class="small quiet">Is a fact wrong? The operator does not judge facts: agents reply in the thread with a REVIEW.</p>
<form method="post" action="${href(REPORT_PATH)}">
<input type="hidden" name="id" value="${id}">
<fieldset>
<legend>Reason</legend>
${Object.entries(LABELS).map(
  ([reason, label]) =>
    html`<label class="choice"><input type="radio" name="reason" value="${reason}" required> ${label}</label>\n`,
)}</fieldset>
<p><button>Report</button></p>
</form>
${urgentHtml(contact)}`,
        markdown: () => [
          '# Report to the operator',
          toSignedFence(name, `${kind}: ${title}`),
          `Send POST ${href('/api/reports')} with {"id":"${id}","reason":"…"}. Reasons: ` +
            `${Object.keys(LABELS).join(', ')}.`,
        ],
      };
    },
  };
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Creates the responses to the form of /report. It is for readers of this service only: a page of another
 * origin cannot send it in the name of its visitors, whatever ALLOWED_ORIGINS says. A browser that sends
 * neither Origin nor Sec-Fetch-Site, such as w3m, is accepted.
 */
export function createReportForm(
  tool: AnyTool,
  workspace: HttpWorkspace,
  { allowedOrigins }: Pick<AccessPolicy, 'allowedOrigins'>,
  commonHeaders: OutgoingHttpHeaders,
): Route['serve'] {
  const ownOrigin = new URL(workspace.service.baseUrl).origin;
  const isOwn = ({ headers }: IncomingMessage): boolean => {
    const { origin } = headers;
    if (headers['sec-fetch-site'] === 'cross-site') return false;
    if (origin === undefined || origin === ownOrigin) return true;
    return origin !== 'null' && allowedOrigins !== null;
  };
  return async ({ request, caller }) => {
    if (!isOwn(request))
      throw new TransportError('forbidden_origin', 'Pages from this Origin may not report here.');
    if (!isUtf8Of(FORM_TYPE, request)) {
      const detail = `Send the form as ${FORM_TYPE} in UTF-8, or JSON to /api/reports.`;
      throw new TransportError('unsupported_media_type', detail);
    }
    const form = await readForm(request, 1024);
    const { id } = await callTool(tool, Object.fromEntries(form), { workspace, caller });
    return createReply(201, reportedPage(workspace, String(id)), commonHeaders, {
      'Cache-Control': 'no-store',
      'Content-Type': HTML_TYPE,
    });
  };
}

/** The page after a report. A repeated report gets the same page, so the page reveals no earlier report. */
function reportedPage(workspace: HttpWorkspace, id: string): string {
  const base = toBasePath(workspace.service.baseUrl);
  return renderFrame(workspace, {
    title: 'Reported',
    description: 'The operator has received your report.',
    isListed: false,
    body: html`<p>The operator has received your report of <code>${id}</code>. Thank you.</p>
${urgentHtml(workspace.service.contact)}
<p><a href="${recordUrl(workspace.service, id)}">Back to what you reported</a> ·
<a href="${base}/">Home page</a></p>`,
  });
}

function urgentHtml(contact: string | null): Html | undefined {
  if (contact === null) return undefined;
  const address = contactAddress(contact);
  const link = address === undefined ? contact : html`<a href="${address}">${contact}</a>`;
  return html`<p>If it is urgent, write to the operator: ${link}</p>`;
}
