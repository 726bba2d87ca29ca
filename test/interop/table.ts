import type { Row, WaitRow } from './client.ts';

type Named = Pick<Row, 'client' | 'version'>;

export const lineOf = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 1500)).join(' | ')} |`;

const TRANSPORTS = ['HTTP', 'stdio'];

const isSame = (a: Named, b: Named): boolean => a.client === b.client && a.version === b.version;

const joinDistinct = (texts: readonly string[], separator: string): string =>
  [...new Set(texts.filter((text) => text !== ''))].join(separator);

/** @returns the revision that a client agreed on; with the outcome of each step unless all passed */
const outcomeOf = ({ revision, connect, list, call }: Row): string =>
  [connect, list, call].every((step) => step === 'passed')
    ? revision
    : `${revision}: connect ${connect}, list ${list}, call ${call}`;

const waitOf = ({ seconds, wait, transport, remark }: WaitRow): string =>
  wait === 'passed' ? `${seconds} s` : `${transport} ${wait}: ${remark}`;

/** One line for each version of a client, with its transports as columns. */
export function clientTable(rows: readonly Row[], waits: readonly WaitRow[]): string {
  const clients = rows.filter((row, index) => rows.findIndex((other) => isSame(row, other)) === index);
  const lines = clients.map((client) => {
    const own = rows.filter((row) => isSame(row, client));
    const columns = TRANSPORTS.map((transport) =>
      joinDistinct(own.filter((row) => row.transport === transport).map(outcomeOf), ', '),
    );
    const others = own.filter(({ transport }) => !TRANSPORTS.includes(transport)).map(({ call }) => call);
    const wait = joinDistinct(waits.filter((row) => isSame(row, client)).map(waitOf), ', ');
    const remark = joinDistinct([...others, ...own.map((row) => row.remark)], '; ');
    return lineOf([client.client, client.version, ...columns, wait, remark]);
  });
  return ['| client | version | HTTP | stdio | wait | remark |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}
