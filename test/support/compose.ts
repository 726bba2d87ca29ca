import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Service {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly [key: string]: unknown;
}

/** The parts of a Compose file that tests read. */
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
}

/**
 * Reads a Compose file of this project, with its variables replaced as the Compose specification says:
 * `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, and `$$` for a dollar sign.
 * @throws Error with the message of a required variable that is empty or missing
 */
export function readCompose(file: string, variables: Readonly<Record<string, string>>): ComposeFile {
  const text = readProjectFile(file);
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return interpolate(value, variables);
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item)]));
  };
  return replace(parse(text, { merge: true })) as ComposeFile;
}

const readProjectFile = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

/** @returns the configuration of the Caddy of a Compose file, in which `{$DOMAIN}` is a variable */
export function readCaddyfile(file: string): string {
  const { configs } = readCompose(file, { DOMAIN: 'x', CONTACT: 'x', POSTGRES_PASSWORD: 'x' });
  return readProjectFile(configs['caddyfile']!.file);
}

/** @returns the lines of docs/operations.md that back a place up and restore it, without comments */
export function readRestoreLines(): string[] {
  const [, lines = ''] = /\n## Run a service(.*?)\n## /s.exec(readProjectFile('docs/operations.md')) ?? [];
  return [...lines.matchAll(/^docker compose (?:cp|exec) .*$/gm)].map(([line]) =>
    line.replace(/\s+#.*/, '').trim(),
  );
}

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(
    /\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (all, name: string | undefined, sign: string | undefined, rest: string) => {
      if (name === undefined) return '$';
      const value = variables[name] ?? '';
      if (value === '' && sign === '?') throw new Error(`${name}: ${rest}`);
      return value === '' && sign === '-' ? rest : value;
    },
  );
}
