import type { ArgumentsRow, ClientContext } from '../client.ts';
import { runHost } from './run-host.ts';
import type { Host } from './host.ts';
import type { ScriptedCall } from '../model/script.ts';
import type { CallParams } from '../recorded-messages.ts';

/** Arguments of read_feed that its schema does not have, and `q` to know them by. */
export const BAD_ARGUMENTS = [
  { q: 'text', limit: '5' },
  { q: 'null', before: null },
  { q: 'unknown', colour: 'red' },
] as const;

const CALLS: readonly ScriptedCall[] = BAD_ARGUMENTS.map((args) => ({ tool: 'read_feed', args }));

function outcomeOf({ args }: ScriptedCall, sent: readonly CallParams[]): string {
  const received = sent.find((call) => call.arguments?.['q'] === args['q'])?.arguments;
  if (received === undefined) return 'refused by the host';
  return JSON.stringify(received) === JSON.stringify(args)
    ? 'sent as it is'
    : `changed to \`${JSON.stringify(received)}\``;
}

/** Lets the model of a host give arguments that are wrong, over HTTP, and reads what reached the service. */
export async function badArgumentsRow(host: Host, context: ClientContext): Promise<ArgumentsRow> {
  const endpoint = await context.service.httpEndpoint();
  const { problems } = await runHost(host, context, endpoint, CALLS);
  const sent = await endpoint.calls();
  return {
    client: host.package,
    version: context.version,
    outcomes: CALLS.map((call) => outcomeOf(call, sent)),
    remark: problems.join('; '),
  };
}
