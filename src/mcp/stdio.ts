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
  });
  const close = async (): Promise<void> => {
    await Promise.race([answered(), new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())]);
    await server.close();
  };
  return { ended, close };
}

/** The SDK forgets what it was asked when the input ends. @returns what waits until every request has its answer */
function countAnswers(transport: StdioServerTransport): () => Promise<void> {
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  let open = 0;
  let allAnswered: (() => void) | undefined;
  transport.onmessage = (message) => {
    if ('method' in message && 'id' in message) open += 1;
    onmessage?.(message);
  };
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) open -= 1;
    if (open === 0) allAnswered?.();
  };
  return () => new Promise((resolve) => {
    if (open === 0) resolve();
    else allAnswered = resolve;
  });
}
