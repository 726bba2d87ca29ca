import type { Row, WaitRow } from './client.ts';

export const lineOf = (cells: readonly string[]): string =>
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
