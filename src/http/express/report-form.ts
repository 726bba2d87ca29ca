import express, { type Request, type RequestHandler } from 'express';
import { callTool } from '#tool/call-tool.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { HTML_TYPE } from '#http/pages/layout.ts';
import { reportedPage } from '#http/pages/report-page.ts';
import { TransportError } from '#http/responses/problem.ts';
import { sendReply } from '#http/responses/reply.ts';

const MAX_BYTES = 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

const readText = express.text({ type: () => true, limit: MAX_BYTES, inflate: false });

/**
 * Handles the form of /report. It is for readers of this service only: a page of another origin cannot send
 * it in the name of its visitors, whatever ALLOWED_ORIGINS says. A browser that sends neither Origin nor
 * Sec-Fetch-Site, such as w3m, is accepted.
 */
export function createReportForm({ options, readCaller }: HttpContext): RequestHandler[] {
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
  return [
    (request, _response, next) => {
      const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      if (!isOwn(request))
        next(new TransportError('forbidden_origin', 'Pages of this Origin may not report here.'));
      else if (type !== FORM_TYPE)
        next(
          new TransportError(
            'unsupported_media_type',
            `Send the form as ${FORM_TYPE}, or JSON to /api/reports.`,
          ),
        );
      else next();
    },
    readText,
    async (request, response) => {
      const body: unknown = request.body;
      const form = new URLSearchParams(typeof body === 'string' ? body : '');
      const { id } = await callTool(tool, Object.fromEntries(form), {
        workspace,
        caller: readCaller(request),
      });
      sendReply(response, {
        status: 201,
        headers: { 'Cache-Control': 'no-store', 'Content-Type': HTML_TYPE },
        body: reportedPage(workspace, String(id)),
      });
    },
  ];
}
