import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
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
  await once(hook.listen(0, '127.0.0.1'), 'listening');
  sandbox.defer(() => hook.close());
  return { url: `http://127.0.0.1:${(hook.address() as AddressInfo).port}`, act };
}

/** Reports a record as anybody may. @returns the path of the operator's page of it */
export async function reportTo({ act }: Hook, url: string, id: string): Promise<string> {
  const { status } = await fetch(`${url}/api/reports`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ id, reason: 'spam' }),
  });
  if (status >= 300) throw new Error(`the report of ${id} answers ${status}`);
  return new URL(await withTimeout(TIMEOUT_SECONDS, 'the operator’s link', act)).pathname;
}
