import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const PEERS = new URL('peers/', import.meta.url);
const DOCUMENT = new URL('../docs/performance.md', import.meta.url);
const [TABLE_START, TABLE_END] = ['<!-- bench -->', '<!-- /bench -->'];

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', cwd: new URL('..', import.meta.url) }).trim();

function peerVersions(): string {
  const readJson = <Value>(name: string): Value =>
    JSON.parse(readFileSync(new URL(name, PEERS), 'utf8')) as Value;
  const { dependencies } = readJson<{ dependencies: Record<string, string> }>('package.json');
  const versionOf = (name: string): string =>
    readJson<{ version: string }>(`node_modules/${name}/package.json`).version;
  return Object.keys(dependencies)
    .map((name) => `${name} ${versionOf(name)}`)
    .join(', ');
}

/** Describes the machine, the versions and the command line of a run. */
export function describeRun(args: readonly string[]): string {
  const changed = git('status', '--porcelain', '--', 'src', 'tools', 'bin') === '' ? '' : ' with changes';
  const machine = `${cpus()[0]?.model ?? 'a processor'}, ${cpus().length} cores, Node ${process.version}`;
  const commit = `commit ${git('rev-parse', '--short', 'HEAD')}${changed}`;
  const day = new Date().toISOString().slice(0, 10);
  const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  // Prose ends at 110 columns.
  const lines = command.replaceAll(/(.{80,100}) /g, '$1\n');
  return `${machine}, ${commit}, ${day},\n\`${lines}\`.\nPeers: ${peerVersions()}.`;
}

/**
 * Writes the table into docs/performance.md. Without `text` it only checks for the markers.
 * @throws Error without markers
 */
export function writeTable(text?: string): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [start, end] = [document.indexOf(TABLE_START), document.indexOf(TABLE_END)];
  if (start < 0 || end < start)
    throw new Error(
      `docs/performance.md has no ${TABLE_START} followed by ${TABLE_END}, between which the table belongs.`,
    );
  if (text !== undefined)
    writeFileSync(DOCUMENT, `${document.slice(0, start)}${TABLE_START}\n${text}\n${document.slice(end)}`);
}
