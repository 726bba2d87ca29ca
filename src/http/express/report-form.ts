import type { Request, RequestHandler } from 'express';
import { callTool } from '#tool/call-tool.ts';
import { isUtf8Of, readBody } from '#http/guards/body.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { HTML_TYPE } from '#http/pages/layout.ts';
import { reportedPage } from '#http/pages/report-page.ts';
import { TransportError } from '#http/responses/problem.ts';
import { sendReply } from '#http/responses/reply.ts';

const MAX_BYTES = 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Handles the form of /report. It is for readers of this service only: a page of another origin cannot send
 * it in the name of its visitors, whatever ALLOWED_ORIGINS says. A browser that sends neither Origin nor
 * Sec-Fetch-Site, such as w3m, is accepted.
 */
export function createReportForm({ options, readCaller }: HttpContext): RequestHandler {
  const { tools, workspace, accessPolicy } = options;
  const tool = tools.find(({ http }) => http === 'POST /api/reports');
  if (tool === undefined) throw new Error('the tool that takes reports is missing');
  const own = new URL(workspace.service.baseUrl).origin;
  const isOwn = ({ headers }: Request): boolean => {
    const { origin } = headers;
    if (headers['sec-fetch-site'] === 'cross-site') return false;
    if (origin === undefined || origin === own) return true;
    return origin !== 'null' && accessPolicy.allowedOrigins !== null;
  };
  return async (request, response) => {
    if (!isOwn(request))
      throw new TransportError('forbidden_origin', 'Pages of this Origin may not report here.');
    if (!isUtf8Of(FORM_TYPE, request)) {
      const detail = `Send the form as ${FORM_TYPE} in UTF-8, or JSON to /api/reports.`;
      throw new TransportError('unsupported_media_type', detail);
    }
    const form = new URLSearchParams((await readBody(request, MAX_BYTES)).toString());
    const { id } = await callTool(tool, Object.fromEntries(form), { workspace, caller: readCaller(request) });
    sendReply(response, {
      status: 201,
      headers: { 'Cache-Control': 'no-store', 'Content-Type': HTML_TYPE },
      body: reportedPage(workspace, String(id)),
    });
  };
}
