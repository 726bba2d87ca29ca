import type { Row, WaitRow } from './client.ts';
import type { ConformanceResult } from './conformance.ts';

const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 1500)).join(' | ')} |`;

export const clientTable = (rows: readonly Row[]): string =>
  [
    '| client | version | transport | revision | connect | list | call | remark |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(({ client, version, transport, revision, connect, list, call, remark }) =>
      lineOf([client, version, transport, revision, connect, list, call, remark]),
    ),
  ].join('\n');

export const waitTable = (rows: readonly WaitRow[]): string =>
  [
    '| client | version | transport | revision | seconds | wait | what happened |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(({ client, version, transport, revision, seconds, wait, remark }) =>
      lineOf([client, version, transport, revision, String(seconds), wait, remark]),
    ),
  ].join('\n');

export const conformanceTable = (results: readonly ConformanceResult[]): string =>
  [
    '| revision | outcome | scenarios | which |',
    '|---|---|---|---|',
    ...results.flatMap(({ version, passed, littleChecked, notCounted, failed }) =>
      Object.entries({
        passed: passed,
        'passed, little checked': littleChecked,
        'not counted': notCounted,
        FAILED: failed,
      })
        .filter(([, names]) => names.length > 0)
        .map(([what, names]) => lineOf([version, what, String(names.length), names.join(', ')])),
    ),
  ].join('\n');
