import { TransportError } from '#http/responses/problem.ts';

/** A sequence of percent escapes, which decode together, or a percent sign that begins none. */
const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

const MAX_SHOWN_CHARACTERS = 12;

/**
 * Checks the percent-encoding of a path. Express decodes only parameters, and would send 404 for the rest.
 * @returns an error that names the first escapes that are not UTF-8
 */
export function checkPathEncoding(path: string): TransportError | undefined {
  if (canDecode(path)) return undefined;
  const escapes = path.match(ESCAPES)?.find((one) => !canDecode(one)) ?? '%';
  const shown =
    escapes.length > MAX_SHOWN_CHARACTERS ? `${escapes.slice(0, MAX_SHOWN_CHARACTERS)}…` : escapes;
  return new TransportError(
    'malformed_request',
    `The percent-encoding "${shown}" in the path is not UTF-8; encode each byte as % and two hex digits, ` +
      'and a percent sign as %25.',
  );
}

function canDecode(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
