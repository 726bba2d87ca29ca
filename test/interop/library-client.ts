import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  eachEndpoint,
  type InteropClient,
  type Row,
  type ClientContext,
  type Verdict,
  type WaitRun,
} from './client.ts';
import { InteropService, type Endpoint } from './service.ts';
import { waitRun } from './waits.ts';

/** The output of drive.mjs. */
interface Steps {
  readonly connect?: 'passed';
  readonly names?: readonly string[];
  readonly response?: string;
  /** How long the call of wait_for_messages took. */
  readonly seconds?: number;
  /** How many notices of progress came meanwhile. */
  readonly notices?: number;
  readonly error?: string;
}

interface Library {
  readonly name: string;
  readonly packages: readonly [string, ...string[]];
  /** The file in drivers/ that uses the library. */
  readonly driver: string;
  readonly transports?: readonly Endpoint['transport'][];
  /** Passed to the driver, one run for each. */
  readonly modes?: readonly string[];
  /** How long it waits for messages. */
  readonly waitSeconds?: number;
}

/** The first missing step is the failed one. */
function verdictsOf(
  { connect, names, response, error }: Steps,
  service: InteropService,
): Pick<Row, 'connect' | 'list' | 'call'> {
  const verdict = (isReached: boolean, isDone: boolean, isValid: boolean): Verdict => {
    if (!isReached) return '-';
    return isDone && isValid ? 'passed' : 'FAILED';
  };
  return {
    connect: verdict(true, connect !== undefined, true),
    list: verdict(connect !== undefined, names !== undefined, service.areTools(names ?? [])),
    call: verdict(
      names !== undefined,
      response !== undefined && error === undefined,
      InteropService.isFeed(response ?? ''),
    ),
  };
}

/** A client that is a library, used by a driver script in its folder. */
export function libraryClient({ name, packages, driver, waitSeconds = 25, ...ways }: Library): InteropClient {
  const nameIn = (mode: string): string => packages[0].replace(/(?<=.)@[^@]*$/, '') + (mode && `, ${mode}`);

  async function drive(
    { folder, commands }: ClientContext,
    { target }: Endpoint,
    args: readonly string[],
    seconds?: number,
  ): Promise<Steps> {
    for (const file of ['drive.mjs', driver])
      await copyFile(join(import.meta.dirname, 'drivers', file), join(folder, file));
    const { stdout, stderr } = await commands.runClient(
      commands.node,
      [join(folder, driver), JSON.stringify(target), ...args],
      { folder, ...(seconds !== undefined && { seconds }) },
    );
    const line = stdout.trim().split('\n').at(-1)!;
    return line.startsWith('{')
      ? (JSON.parse(line) as Steps)
      : { error: `no output: ${stderr.trim().slice(-200)}` };
  }

  async function rowOf(context: ClientContext, endpoint: Endpoint, mode: string): Promise<Row> {
    const steps = await drive(context, endpoint, [mode]);
    return {
      client: nameIn(mode),
      version: context.version,
      transport: endpoint.transport,
      revision: await endpoint.revision(),
      ...verdictsOf(steps, context.service),
      remark: steps.error ?? '',
    };
  }

  const toWait = (context: ClientContext, endpoint: Endpoint, mode: string): WaitRun =>
    waitRun(nameIn(mode), context, endpoint, waitSeconds, (timeout) =>
      drive(context, endpoint, [mode, String(waitSeconds)], timeout),
    );

  return {
    name,
    packages,
    run: (context) => eachEndpoint(context, (endpoint, mode) => rowOf(context, endpoint, mode), ways),
    waits: (context) => eachEndpoint(context, (endpoint, mode) => toWait(context, endpoint, mode), ways),
  };
}
