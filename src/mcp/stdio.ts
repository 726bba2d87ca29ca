import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { LOCAL } from '#workspace/caller.ts';
import type { Connect } from './server.ts';

/** How long an answer may take after the input has ended. */
const GRACE_MS = 5_000;

interface Speaking {
  /** Settles when the other side closed the input. */
  readonly ended: Promise<void>;
  /** Stops, once what was asked is answered. */
  readonly close: () => Promise<void>;
}

/** Serves the process's standard input and output, as the local visitor. */
export async function serveStdio(connect: Connect, report: (event: string) => void): Promise<Speaking> {
  const transport = new StdioServerTransport();
  const server = await connect(transport, { visitor: LOCAL });
  const answered = countAnswers(transport);
  server.server.onerror = (error) => { report(error.name); };
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdout.once('error', () => { resolve(); });
    // The SDK gives up on a line of more than ten megabytes.
    server.server.onclose = resolve;
  });
  const close = async (): Promise<void> => {
    // Kept alive by the timer: with the input at its end nothing else may hold the process.
    let grace: NodeJS.Timeout | undefined;
    await Promise.race([answered(), new Promise((resolve) => { grace = setTimeout(resolve, GRACE_MS); })]);
    clearTimeout(grace);
    await server.close();
  };
  return { ended, close };
}

/** The SDK forgets what it was asked when the input ends. @returns what waits until every request has its answer */
function countAnswers(transport: StdioServerTransport): () => Promise<void> {
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  const open = new Set<unknown>();
  let allAnswered = (): void => undefined;
  const answered = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) allAnswered();
  };
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) open.add(message.id);
    onmessage?.(message);
    // Who cancels a request gets no answer to it.
    if ('method' in message && message.method === 'notifications/cancelled') answered(message.params?.['requestId']);
  };
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) answered(message.id);
  };
  return () => new Promise((resolve) => {
    allAnswered = resolve;
    if (open.size === 0) resolve();
  });
}
