import type { OutgoingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { readBody } from '#http/guards/body.ts';
import { html, type Html } from '#http/html/html.ts';
import { createReply, type Call, type Reply } from '#http/responses/reply.ts';
import { reasonWords, textOf, toCommand, type OperatorLinks } from '#workspace/moderation/operator-links.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { HTML_TYPE, renderFrame } from './layout.ts';

const MAX_BYTES = 64;

const Verdict = z.enum(['hide', 'stay']);

/** The secret of the address stands in no log, cache, index or header of another request. */
const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Type': HTML_TYPE,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
};

/** Creates the two responses at the address of an operator's link. A GET changes nothing. */
export function createOperatorPage(
  links: OperatorLinks,
  workspace: HttpWorkspace,
  commonHeaders: OutgoingHttpHeaders,
): Record<'read' | 'judge', (call: Call) => Promise<Reply>> {
  const reply = (title: string, body: Html): Reply => {
    const frame = { title, description: 'A private page of the operator.', isListed: false, body };
    return createReply(200, renderFrame(workspace, frame), commonHeaders, PRIVATE_HEADERS);
  };
  return {
    read: async ({ parameters: { secret = '' }, caller }) => {
      const { id, record, reasons, until } = await links.open(secret, caller);
      const name = 'by' in record ? record.by : record.name;
      const said = [...reasons].map(([reason, count]) => `${reasonWords(reason)} (${count})`);
      return reply(
        'One record was reported',
        html`<p class="small quiet">A private link for the operator, from HOOK_URL. It works once, until
${toTime(until)}.</p>
<dl class="facts"><dt>Reported</dt><dd>${said.join(', ') || 'no longer'}</dd></dl>
<div class="message none"><p class="byline"><bdi>${name ?? 'Without a name'}</bdi> ${toTime(Date.parse(record.createdAt))}</p>
<div class="text"><pre class="plain" dir="auto">${textOf(record)}</pre></div></div>
<form class="judge" method="post"><p><button name="verdict" value="hide">Hide for 24 hours</button>
<button name="verdict" value="stay">It may stay</button></p></form>
<p class="small quiet">While hidden, it shows as “held by the operator”; after 24 hours it reappears by itself. To hide it
for good, run on the server:</p>
<pre class="sample small">${toCommand(id, reasons.keys().next().value)}</pre>`,
      );
    },
    judge: async ({ request, parameters: { secret = '' }, caller }) => {
      const form = new URLSearchParams((await readBody(request, MAX_BYTES)).toString());
      const { data } = Verdict.safeParse(form.get('verdict'));
      if (data === undefined)
        throw invalidRequestError([{ path: 'verdict', message: 'must be hide or stay: press a button' }]);
      const isDone = await links.judge(secret, data === 'hide', caller);
      if (!isDone)
        return reply('Nothing was hidden', html`<p>Links have hidden 20 records. Use the command.</p>`);
      return data === 'hide'
        ? reply('Hidden for 24 hours', html`<p>Then it is shown again. The command hides it for good.</p>`)
        : reply(
            'It stays',
            html`<p>Reports cannot hide it for the next 24 hours. It stays on the list of reports.</p>`,
          );
    },
  };
}

const toTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
