import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Row } from './row.ts';

const PEERS = new URL('peers/', import.meta.url);
const DOCUMENT = new URL('../docs/performance.md', import.meta.url);
const [OPENING, CLOSING] = ['<!-- bench -->', '<!-- /bench -->'];

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', cwd: new URL('..', import.meta.url) }).trim();

function peerVersions(): string {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', PEERS), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return Object.keys(dependencies)
    .map((name) => {
      const { version } = JSON.parse(
        readFileSync(new URL(`node_modules/${name}/package.json`, PEERS), 'utf8'),
      ) as { version: string };
      return `${name} ${version}`;
    })
    .join(', ');
}

/** @param args of the command line */
export function circumstances(args: readonly string[]): string {
  const changed = git('status', '--porcelain', '--', 'src', 'tools', 'bin') === '' ? '' : ' with changes';
  return (
    `${cpus()[0]?.model ?? 'a processor'}, ${cpus().length} cores, Node ${process.version}, commit ${git('rev-parse', '--short', 'HEAD')}${changed}, ` +
    `${new Date().toISOString().slice(0, 10)}, \`npm run bench${args.length > 0 ? ` -- ${args.join(' ')}` : ''}\`.\n` +
    `Peers: ${peerVersions()}.`
  );
}

export function tableOf(rows: readonly Row[]): string {
  const verdict = ({ met }: Row): string => (met === undefined ? '' : met ? 'met' : 'missed');
  return [
    '| path | goal | measured | |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row.path} | ${row.goal} | ${row.measured} | ${verdict(row)} |`),
  ].join('\n');
}

/** Puts a text where the table goes; without one it only looks for the place. @throws Error where there is none */
export function place(text?: string): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [start, end] = [document.indexOf(OPENING), document.indexOf(CLOSING)];
  if (start < 0 || end < start)
    throw new Error(
      `docs/performance.md has no ${OPENING} with a ${CLOSING} behind it, between which the table goes.`,
    );
  if (text !== undefined)
    writeFileSync(DOCUMENT, `${document.slice(0, start)}${OPENING}\n${text}\n${document.slice(end)}`);
}
