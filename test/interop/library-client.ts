import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteropClient, Row, ClientContext, Verdict } from './client.ts';
import { InteropService, type Endpoint } from './service.ts';

/** The output of drive.mjs. */
interface Steps {
  readonly connect?: 'passed';
  readonly names?: readonly string[];
  readonly response?: string;
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
}

/** The first missing step is the failed one. */
function verdictsOf({ connect, names, response, error }: Steps): Pick<Row, 'connect' | 'list' | 'call'> {
  const verdict = (isReached: boolean, isDone: boolean, isValid: boolean): Verdict => {
    if (!isReached) return '-';
    return isDone && isValid ? 'passed' : 'FAILED';
  };
  return {
    connect: verdict(true, connect !== undefined, true),
    list: verdict(connect !== undefined, names !== undefined, InteropService.areTools(names ?? [])),
    call: verdict(
      names !== undefined,
      response !== undefined && error === undefined,
      InteropService.isFeed(response ?? ''),
    ),
  };
}

/** A client that is a library, used by a driver script in its folder. */
export function libraryClient({
  name,
  packages,
  driver,
  transports = ['HTTP', 'stdio'],
  modes = [''],
}: Library): InteropClient {
  const drive = async (
    { folder, commands }: ClientContext,
    { target }: Endpoint,
    mode: string,
  ): Promise<Steps> => {
    for (const file of ['drive.mjs', driver])
      await copyFile(join(import.meta.dirname, 'drivers', file), join(folder, file));
    const args = [join(folder, driver), JSON.stringify(target), mode];
    const { stdout, stderr } = await commands.runClient(commands.node, args, { folder });
    const line = stdout.trim().split('\n').at(-1)!;
    return line.startsWith('{')
      ? (JSON.parse(line) as Steps)
      : { error: `no output: ${stderr.trim().slice(-200)}` };
  };
  const run = async (context: ClientContext): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (const mode of modes) {
      for (const endpoint of (await context.service.endpoints()).filter(({ transport }) =>
        transports.includes(transport),
      )) {
        const steps = await drive(context, endpoint, mode);
        rows.push({
          client: packages[0].replace(/(?<=.)@[^@]*$/, '') + (mode && `, ${mode}`),
          version: context.version,
          transport: endpoint.transport,
          revision: await endpoint.revision(),
          ...verdictsOf(steps),
          remark: steps.error ?? '',
        });
      }
    }
    return rows;
  };
  return { name, packages, run };
}
