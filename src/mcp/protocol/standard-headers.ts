import type { IncomingHttpHeaders } from 'node:http';
import { PER_REQUEST_VERSION } from './versions.ts';

/** The parameter that the header Mcp-Name repeats, by method (SEP-2243). */
export const NAMED_PARAMETER: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

interface Call {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Whether the standard headers (SEP-2243) repeat the body character by character. False for an encoded
 * Mcp-Name, which begins with `=?base64?`: the SDK decodes it.
 */
export function headersMatchBody(headers: IncomingHttpHeaders, { method, params }: Call): boolean {
  const parameter = NAMED_PARAMETER[method];
  const name = parameter === undefined ? undefined : params?.[parameter];
  return (
    headers['mcp-protocol-version'] === PER_REQUEST_VERSION &&
    headers['mcp-method'] === method &&
    headers['mcp-name'] === name &&
    !String(name).startsWith('=')
  );
}
