import type { HttpRequest } from './requests.ts';

const MAX_LENGTH = 1500;

/** @returns bytes as text, with escapes for non-ASCII characters */
export function formatBytes(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString('latin1')).replaceAll(
    /[^ -~]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (${bytes.length} bytes)` : text;
}

export function formatRequest({ method, target, headers, body }: HttpRequest): string {
  const lines = [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`)].map((line) =>
    formatBytes(Buffer.from(line, 'latin1')),
  );
  return [...lines, ...(body === undefined ? [] : ['', formatBytes(body)])].join('\n  ');
}
