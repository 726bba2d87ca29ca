import { TransportError } from '#http/problem.ts';

/** RFC 9110 section 12.5.1, as far as a choice of one type needs it: a listed range, unless its weight is 0. */
function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const ranges = ['*/*', `${type.split('/')[0] ?? ''}/*`, type];
  return header.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
    return ranges.includes(range) && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Whether a client takes the JSON that most requests are answered with. */
export function acceptsJson(header: string | undefined): boolean {
  return accepts(header, 'application/json');
}

/** @throws TransportError not_acceptable */
export function checkAccept(header: string | undefined, streams: boolean): void {
  const type = streams ? 'text/event-stream' : 'application/json';
  if (accepts(header, type)) return;
  throw new TransportError(
    'not_acceptable',
    'Send the header Accept: application/json, text/event-stream; streams of notices need the second.',
  );
}
