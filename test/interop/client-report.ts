import { readFileSync, writeFileSync } from 'node:fs';
import { hasFailed, type ArgumentsRow, type Row, type WaitRow } from './client.ts';
import { BAD_ARGUMENTS } from './hosts/bad-arguments.ts';
import { clientTable, lineOf } from './table.ts';

const DOCUMENT = new URL('../../docs/clients.md', import.meta.url);

export interface ClientResults {
  /** Version of the Node that the clients ran on. */
  readonly node: string;
  readonly rows: readonly Row[];
  readonly hostArguments: readonly ArgumentsRow[];
  readonly waits: readonly WaitRow[];
}

/** Markdown by the name of the block in docs/clients.md. */
export type Blocks = Readonly<Record<string, string>>;

export const hasFailures = ({ rows, waits }: ClientResults): boolean =>
  rows.some(hasFailed) || waits.some(({ wait }) => wait === 'FAILED');

const argumentsTable = (rows: readonly ArgumentsRow[]): string =>
  [
    lineOf(['client', 'version', ...BAD_ARGUMENTS.map((args) => `\`${JSON.stringify(args)}\``), 'remark']),
    `|${'---|'.repeat(BAD_ARGUMENTS.length + 3)}`,
    ...rows.map(({ client, version, outcomes, remark }) => lineOf([client, version, ...outcomes, remark])),
  ].join('\n');

/** When and on what the clients ran. @param node version of the Node that they ran on */
const runOf = (node: string): string =>
  `Run of ${new Date().toISOString().slice(0, 10)}: the service on Node ${process.version}, ` +
  `the clients on Node ${node}, ${process.platform} on ${process.arch}.`;

/** @returns the block about a run over the small endpoint */
export function toCoreBlock({ node, rows, waits }: ClientResults): Blocks {
  const ran = rows.filter(({ call }) => call !== 'not run');
  const failed = [...ran.filter(hasFailed), ...waits.filter(({ wait }) => wait === 'FAILED')];
  const names = failed.map(({ client, transport }) => `${client} over ${transport}`);
  const outcome =
    names.length === 0 ? 'all passed, and all waited for messages' : `failed: ${names.join(', ')}`;
  return { core: `${runOf(node)}\n${ran.length} connections of the clients above: ${outcome}.` };
}

/** @returns a block for each table that has rows */
export function toBlocks({ node, rows, hostArguments, waits }: ClientResults): Blocks {
  return {
    ...(rows.length > 0 && { clients: `${runOf(node)}\n\n${clientTable(rows, waits)}` }),
    ...(hostArguments.length > 0 && { 'host-arguments': argumentsTable(hostArguments) }),
  };
}

/** Puts blocks between their markers in docs/clients.md. @throws Error without markers */
export function writeBlocks(blocks: Blocks): void {
  let text = readFileSync(DOCUMENT, 'utf8');
  for (const [name, block] of Object.entries(blocks)) {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
    if (start < 0 || stop < start) throw new Error(`docs/clients.md has no ${begin} with a ${end} after it.`);
    text = `${text.slice(0, start)}${begin}\n${block}\n${text.slice(stop)}`;
  }
  writeFileSync(DOCUMENT, text);
}
