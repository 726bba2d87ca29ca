import type { Row } from './client.ts';
import type { Conformity } from './conformance.ts';

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 1500)).join(' | ')} |`;

export const clientTable = (rows: readonly Row[]): string =>
  [
    '| client | version | transport | era | connect | list | call | remark |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(({ client, version, transport, era, connect, list, call, remark }) =>
      lineOf([client, version, transport, era, connect, list, call, remark]),
    ),
  ].join('\n');

export const conformanceTable = (found: readonly Conformity[]): string =>
  [
    '| revision | outcome | scenarios | which |',
    '|---|---|---|---|',
    ...found.flatMap(({ version, passed, hollow, notCounted, failed }) =>
      Object.entries({
        passed: passed,
        'passed, but tells nothing': hollow,
        'not counted': notCounted,
        FAILED: failed,
      })
        .filter(([, names]) => names.length > 0)
        .map(([what, names]) => lineOf([version, what, String(names.length), names.join(', ')])),
    ),
  ].join('\n');
