import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { callTool } from '#tool/call-tool.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { isUtf8Of, readBody } from '#http/guards/body.ts';
import type { AccessPolicy } from '#http/guards/access.ts';
import { TransportError } from '#http/responses/problem.ts';
import { createReply, type Route } from '#http/responses/reply.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { HTML_TYPE } from './layout.ts';
import { reportedPage } from './report-page.ts';

const MAX_BYTES = 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Creates the responses to the form of /report. It is for readers of this service only: a page of another origin cannot send
 * it in the name of its visitors, whatever ALLOWED_ORIGINS says. A browser that sends neither Origin nor
 * Sec-Fetch-Site, such as w3m, is accepted.
 */
export function createReportForm(
  tool: AnyTool,
  workspace: HttpWorkspace,
  { allowedOrigins }: Pick<AccessPolicy, 'allowedOrigins'>,
  commonHeaders: OutgoingHttpHeaders,
): Route['serve'] {
  const own = new URL(workspace.service.baseUrl).origin;
  const isOwn = ({ headers }: IncomingMessage): boolean => {
    const { origin } = headers;
    if (headers['sec-fetch-site'] === 'cross-site') return false;
    if (origin === undefined || origin === own) return true;
    return origin !== 'null' && allowedOrigins !== null;
  };
  return async ({ request, caller }) => {
    if (!isOwn(request))
      throw new TransportError('forbidden_origin', 'Pages from this Origin may not report here.');
    if (!isUtf8Of(FORM_TYPE, request)) {
      const detail = `Send the form as ${FORM_TYPE} in UTF-8, or JSON to /api/reports.`;
      throw new TransportError('unsupported_media_type', detail);
    }
    const form = new URLSearchParams((await readBody(request, MAX_BYTES)).toString());
    const { id } = await callTool(tool, Object.fromEntries(form), { workspace, caller });
    return createReply(201, reportedPage(workspace, String(id)), commonHeaders, {
      'Cache-Control': 'no-store',
      'Content-Type': HTML_TYPE,
    });
  };
}
