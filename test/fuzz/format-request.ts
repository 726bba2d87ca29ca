import type { Sending } from './requests.ts';

const MOST = 1500;

/** Bytes as text, what is not ASCII escaped. */
export function showBytes(bytes: Buffer): string {
  const text = JSON.stringify(bytes.toString('latin1')).replaceAll(
    /[^ -~]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return text.length > MOST ? `${text.slice(0, MOST)}… (${bytes.length} bytes)` : text;
}

export function showSending({ method, target, headers, body }: Sending): string {
  const lines = [`${method} ${target}`, ...headers.map(([name, value]) => `${name}: ${value}`)].map((line) =>
    showBytes(Buffer.from(line, 'latin1')),
  );
  return [...lines, ...(body === undefined ? [] : ['', showBytes(body)])].join('\n  ');
}
