import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './listen.ts';

export interface HookReceiver<Message> {
  /** What HOOK_URL names. */
  readonly url: string;
  /** Those that it has accepted. */
  readonly messages: readonly Message[];
  /** How many requests it got. */
  readonly requests: () => number;
}

/** Starts a receiver of the hook. @param refused how many messages it refuses before it accepts the others */
export async function receiveHook<Message>(
  t: Parameters<typeof listen>[0],
  refused = 0,
): Promise<HookReceiver<Message>> {
  const messages: Message[] = [];
  let requests = 0;
  const server = createServer(async (request, response) => {
    const isRefused = (requests += 1) <= refused;
    const message = (await json(request)) as Message;
    if (!isRefused) messages.push(message);
    response.writeHead(isRefused ? 500 : 204).end();
  });
  return { url: await listen(t, server), messages, requests: () => requests };
}
