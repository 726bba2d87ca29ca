import { acceptedRanges } from '#http/responses/accept.ts';
import { TransportError } from '#http/responses/problem.ts';

/** The header that the MCP specification requires, and that most clients send. */
const USUAL = 'application/json, text/event-stream';

/** Whether Accept (RFC 9110 section 12.5.1) lists a range of the type, which is one of `USUAL`. */
function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header === USUAL || header.trim() === '') return true;
  const ranges = ['*/*', `${type.split('/')[0] ?? ''}/*`, type];
  return acceptedRanges(header).some((range) => ranges.includes(range));
}

/** Whether a client accepts JSON, the type of most responses. */
export function acceptsJson(header: string | undefined): boolean {
  return accepts(header, 'application/json');
}

/** @throws TransportError not_acceptable */
export function checkAccept(header: string | undefined, streams: boolean): void {
  const type = streams ? 'text/event-stream' : 'application/json';
  if (accepts(header, type)) return;
  throw new TransportError(
    'not_acceptable',
    `Send the header Accept: ${USUAL}; notification streams need the second type.`,
  );
}
