import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../support/http/listen.ts';
import { postJson } from '../../support/http/post-json.ts';
import { withTimeout } from '../../torture/support/time.ts';
import type { Sandbox } from '../../torture/support/sandbox.ts';

/** A hook tells of a report within ten seconds. */
const TIMEOUT_SECONDS = 30;

/** What HOOK_URL names. */
export interface Hook {
  readonly url: string;
  /** The address of the operator's page of the first report. */
  readonly act: Promise<string>;
}

export async function startHook(sandbox: Sandbox): Promise<Hook> {
  const hook = createServer();
  const act = new Promise<string>((resolve) => {
    hook.on('request', async (request, response) => {
      const message = JSON.parse(await text(request)) as { act?: string };
      response.end();
      if (message.act !== undefined) resolve(message.act);
    });
  });
  return { url: await listen(sandbox, hook), act };
}

/** Reports a record as anybody may. @returns the path of the operator's page of it */
export async function reportTo({ act }: Hook, url: string, id: string): Promise<string> {
  const { status } = await postJson(`${url}/api/reports`, { id, reason: 'spam' });
  if (status >= 300) throw new Error(`the report of ${id} answers ${status}`);
  return new URL(await withTimeout(TIMEOUT_SECONDS, 'the operator’s link', act)).pathname;
}
