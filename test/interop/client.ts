import type { Commands } from './commands.ts';
import type { Endpoint, InteropService } from './service.ts';

export type Verdict = 'passed' | 'FAILED' | 'not run' | '-';

/**
 * The results of one client over one transport. `-` is a step that it does not have, or that follows a failed
 * one.
 */
export interface Row {
  readonly client: string;
  readonly version: string;
  readonly transport: string;
  /** The negotiated protocol revision, read from the recorded messages. */
  readonly revision: string;
  readonly connect: Verdict;
  readonly list: Verdict;
  readonly call: Verdict;
  readonly remark: string;
}

/** The result of one client that waited for messages over one transport. */
export interface WaitRow extends Pick<Row, 'client' | 'version' | 'transport' | 'revision' | 'remark'> {
  /** How long the call was to wait. */
  readonly seconds: number;
  readonly wait: Verdict;
}

/** What a host makes of wrong arguments of its model. */
export interface ArgumentsRow extends Pick<Row, 'client' | 'version' | 'remark'> {
  /** In the order of BAD_ARGUMENTS. */
  readonly outcomes: readonly string[];
}

/** Waits, and never rejects. */
export type WaitRun = () => Promise<WaitRow>;

/** What a client runs with. */
export interface ClientContext {
  /** The folder of its installation and its files. */
  readonly folder: string;
  readonly version: string;
  readonly service: InteropService;
  readonly commands: Commands;
  /** Creates an empty folder, which the end of the run removes. */
  readonly createFolder: () => Promise<string>;
}

export interface InteropClient {
  readonly name: string;
  /** npm packages to install; the first is the client. */
  readonly packages: readonly [string, ...string[]];
  run(setting: ClientContext): Promise<readonly Row[]>;
  /** Only of a host: whether wrong arguments of its model reach the service. */
  badArguments?(setting: ClientContext): Promise<ArgumentsRow>;
  /** One for each of its transports and modes; they run at the same time. */
  waits?(setting: ClientContext): Promise<readonly WaitRun[]>;
}

interface Ways {
  readonly modes?: readonly string[];
  readonly transports?: readonly Endpoint['transport'][];
}

/** Uses a new endpoint of each transport in each mode. @returns the results in this order */
export async function eachEndpoint<Result>(
  { service }: ClientContext,
  use: (endpoint: Endpoint, mode: string) => Result,
  { modes = [''], transports = ['HTTP', 'stdio'] }: Ways = {},
): Promise<Awaited<Result>[]> {
  const results: Awaited<Result>[] = [];
  for (const mode of modes)
    for (const endpoint of await service.endpoints())
      if (transports.includes(endpoint.transport)) results.push(await use(endpoint, mode));
  return results;
}

/** The row of a client that could not be installed or run. */
export const emptyRow = (client: string, verdict: Verdict, remark: string): Row => ({
  client,
  version: '-',
  transport: '-',
  revision: '-',
  connect: verdict,
  list: verdict,
  call: verdict,
  remark,
});

export const hasFailed = ({ connect, list, call }: Row): boolean => [connect, list, call].includes('FAILED');
