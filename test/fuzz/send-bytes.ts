import { connect } from 'node:net';

/** If the bytes before it are complete requests, it gets a response and closes the connection. */
export const LAST_REQUEST = Buffer.from(
  'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
);

/** @returns everything received until the server closes the connection, which is half-closed after `idleMs` without data */
export function sendBytes(
  url: string,
  bytes: Buffer,
  { deadlineMs, idleMs = 0 }: { deadlineMs: number; idleMs?: number },
): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const deadline = setTimeout(() => {
      socket.destroy(new Error(`still open after ${deadlineMs} ms`));
    }, deadlineMs);
    socket.setTimeout(idleMs, () => {
      socket.end();
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      socket.end();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server responded and closed while bytes were still being sent.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      clearTimeout(deadline);
      resolve(Buffer.concat(chunks));
    });
    socket.write(bytes);
  });
}
