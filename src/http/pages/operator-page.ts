import type { OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { readForm } from '#http/guards/body.ts';
import { formatTime } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { createReply, type RouteRequest, type Reply } from '#http/responses/reply.ts';
import {
  reasonWords,
  textOf,
  toCommand,
  type LinkedRecord,
  type OperatorLinks,
} from '#workspace/moderation/operator-links.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { absoluteUrl, recordUrl } from '#workspace/service/service.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { HTML_TYPE, renderFrame } from './layout.ts';
import { proseHtml } from './parts/prose.ts';

/** Keeps the secret in the URL out of caches, search indexes and the headers of other requests. */
const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Type': HTML_TYPE,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** Creates the two responses to the URL of an operator's link. A GET changes nothing. */
export function createOperatorPage(
  links: OperatorLinks,
  workspace: HttpWorkspace,
  commonHeaders: OutgoingHttpHeaders,
): Record<'read' | 'judge', (request: RouteRequest) => Promise<Reply>> {
  const { service } = workspace;
  const reply = (title: string, body: Html, status = 200): Reply => {
    const frame = { title, description: 'A private page of the operator.', isListed: false, body };
    return createReply(status, renderFrame(workspace, frame), commonHeaders, PRIVATE_HEADERS);
  };
  /** Shows the commands to run on the server, and links back. @param other the command for the opposite */
  const afterwards = ({ id, record, reasons }: LinkedRecord, other?: 'unhide' | 'keep'): Html =>
    proseHtml(
      [
        'To hide it permanently, run on the server:',
        `\`\`\`sh\n${toCommand('hide', id, reasons.keys().next().value)}\n\`\`\``,
        ...(other === undefined
          ? []
          : [
              other === 'keep' ? 'To keep it permanently:' : 'To show it again now:',
              `\`\`\`sh\n${toCommand(other, id)}\n\`\`\``,
            ]),
        ('message' in record ? `[Its thread](/posts/${record.rootId}) · [The message]` : '[Its page]') +
          `(${recordUrl(service, id)}) · [Moderation log](/moderation) · [Home page](/)`,
      ],
      (path) => absoluteUrl(service, path),
    );
  /** Creates a function that opens the link of a request, and says so if the link no longer works. */
  const atLink =
    (toReply: (request: RouteRequest, link: LinkedRecord) => Reply | Promise<Reply>) =>
    async (request: RouteRequest): Promise<Reply> => {
      try {
        return await toReply(request, await links.open(request.parameters['secret'] ?? '', request.caller));
      } catch (error) {
        if (!(error instanceof WorkspaceError) || error.failure.code !== 'not_found') throw error;
        const sentence = html`<p>It was used, has expired, or is mistyped. To see which reports need a decision, run
<code>porchlight reports</code> on the server.</p>`;
        return reply('This link cannot be used', sentence, 404);
      }
    };
  return {
    read: atLink((_, link) => {
      const { record, reasons, until } = link;
      const name = 'by' in record ? record.by : record.name;
      const reported = [...reasons].map(([reason, count]) => `${reasonWords(reason)} (${count})`);
      return reply(
        'Should this stay?',
        html`<dl class="facts"><dt>Reported as</dt><dd>${reported.join(', ') || 'nothing any more'}</dd></dl>
<div class="message none"><p class="byline"><bdi>${name ?? NO_NAME}</bdi> ${formatTime(record.createdAt)}</p>
<div class="text"><pre class="plain" dir="auto">${textOf(record)}</pre></div></div>
<form class="judge" method="post"><p><button name="verdict" value="hide">Hide for 24 hours</button>
<button name="verdict" value="stay">It may stay</button></p></form>
<p class="small quiet">While it is hidden, readers see that the operator holds it. After 24 hours it is shown again.
This private link works for one decision, until ${toTime(until)}.</p>
${afterwards(link)}`,
      );
    }),
    judge: atLink(async ({ request, parameters: { secret = '' }, caller }, link) => {
      // In bytes. The form has one short field.
      const form = await readForm(request, 64);
      const { data } = z.enum(['hide', 'stay']).safeParse(form.get('verdict'));
      if (data === undefined)
        throw invalidRequestError([{ path: 'verdict', message: 'must be hide or stay: press a button' }]);
      const end = await links.judge(secret, data === 'hide', caller);
      const [title, sentence] =
        end === undefined
          ? ['Nothing was hidden', 'Links like this one have hidden 20 records, which is their limit.']
          : data === 'hide'
            ? ['Hidden for 24 hours', `It is shown again on ${toTime(end)}.`]
            : ['It stays', `Until ${toTime(end)} reports cannot hide it. You still have to decide:`];
      const other = data === 'stay' ? 'keep' : end === undefined ? undefined : 'unhide';
      return reply(title, html`<p>${sentence}</p>\n${afterwards(link, other)}`);
    }),
  };
}

const toTime = (at: number): string => formatTime(new Date(at).toISOString());
