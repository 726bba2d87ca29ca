import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const VERSION = '2026-07-28';

export const META_2026 = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface ListenStream {
  readonly socket: Socket;
  /** Status line, headers, and the first event or the body of an error. */
  readonly head: string;
}

/** Sends `subscriptions/listen` on a new connection, which stays open. */
export async function openListenStream(
  url: string,
  resourceSubscriptions: unknown,
  { address = '192.0.2.1', path = '/mcp' } = {},
): Promise<ListenStream> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions }, _meta: META_2026 },
  });
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `Mcp-Protocol-Version: ${VERSION}`,
    'Mcp-Method: subscriptions/listen',
    `X-Forwarded-For: ${address}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ];
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
    .setEncoding('utf8')
    .on('error', () => undefined);
  socket.write(lines.join('\r\n'));
  let head = '';
  while (!/\r\n\r\n[^]*\}/.test(head)) head += String((await once(socket, 'data'))[0]);
  return { socket, head };
}
