import type { HookReceiver } from '../../support/http/hook-receiver.ts';
import { postJson } from '../../support/http/post-json.ts';
import { waitUntil } from '../../torture/support/time.ts';

/** A hook tells of a report within ten seconds. */
const TIMEOUT_SECONDS = 30;

/** What the hook receives: `act` is the address of the operator's page of a report. */
export interface HookMessage {
  readonly act?: string;
}

/** Reports a record as anybody may. @returns the path of the operator's page of it */
export async function reportTo(
  { messages }: HookReceiver<HookMessage>,
  url: string,
  id: string,
): Promise<string> {
  const { status } = await postJson(`${url}/api/reports`, { id, reason: 'spam' });
  if (status >= 300) throw new Error(`the report of ${id} answers ${status}`);
  const actOf = (): string | undefined => messages.find(({ act }) => act !== undefined)?.act;
  await waitUntil(TIMEOUT_SECONDS, async () => actOf() !== undefined);
  return new URL(actOf() ?? `no hook told of the report of ${id}`).pathname;
}
