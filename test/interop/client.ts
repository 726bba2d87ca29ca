import type { Commands } from './commands.ts';
import type { House } from './service.ts';

export type Verdict = 'passed' | 'FAILED' | 'not run' | '-';

/** What came of one client over one transport. `-` is a step that it does not have, or that came after one that failed. */
export interface Row {
  readonly client: string;
  readonly version: string;
  readonly transport: string;
  /** The protocol version they agreed on, as heard on the wire. */
  readonly era: string;
  readonly connect: Verdict;
  readonly list: Verdict;
  readonly call: Verdict;
  readonly remark: string;
}

/** What a client was given. */
export interface Setting {
  /** Where it is installed, and where it may write. */
  readonly folder: string;
  readonly version: string;
  readonly house: House;
  readonly commands: Commands;
}

export interface InteropClient {
  readonly name: string;
  /** What npm installs; the first is the client itself. */
  readonly packages: readonly [string, ...string[]];
  run(setting: Setting): Promise<readonly Row[]>;
}

/** For a client that came to no transport. */
export const rowWithout = (client: string, verdict: Verdict, remark: string): Row => ({
  client,
  version: '-',
  transport: '-',
  era: '-',
  connect: verdict,
  list: verdict,
  call: verdict,
  remark,
});

export const hasFailed = ({ connect, list, call }: Row): boolean => [connect, list, call].includes('FAILED');
