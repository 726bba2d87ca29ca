import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteropClient, Row, Setting, Verdict } from './client.ts';
import { House, type Door } from './service.ts';

/** As drive.mjs prints it. */
interface Steps {
  readonly connect?: 'passed';
  readonly names?: readonly string[];
  readonly answer?: string;
  readonly error?: string;
}

interface Library {
  readonly name: string;
  readonly packages: readonly [string, ...string[]];
  /** The file in drivers/ that knows its interface. */
  readonly driver: string;
  readonly transports?: readonly Door['transport'][];
  /** Told to the driver, one run each. */
  readonly modes?: readonly string[];
}

/** The first step that was not taken is the one that failed. */
function verdicts({ connect, names, answer, error }: Steps): Pick<Row, 'connect' | 'list' | 'call'> {
  const verdict = (before: boolean, taken: boolean, good: boolean): Verdict => {
    if (!before) return '-';
    return taken && good ? 'passed' : 'FAILED';
  };
  return {
    connect: verdict(true, connect !== undefined, true),
    list: verdict(connect !== undefined, names !== undefined, House.areTools(names ?? [])),
    call: verdict(
      names !== undefined,
      answer !== undefined && error === undefined,
      House.isFeed(answer ?? ''),
    ),
  };
}

/** A client that is a library: a driver beside it takes its steps. */
export function driven({
  name,
  packages,
  driver,
  transports = ['HTTP', 'stdio'],
  modes = [''],
}: Library): InteropClient {
  const drive = async ({ folder, commands }: Setting, { target }: Door, mode: string): Promise<Steps> => {
    for (const file of ['drive.mjs', driver])
      await copyFile(join(import.meta.dirname, 'drivers', file), join(folder, file));
    const args = [join(folder, driver), JSON.stringify(target), mode];
    const { stdout, stderr } = await commands.client(commands.node, args, { folder });
    const line = stdout.trim().split('\n').at(-1)!;
    return line.startsWith('{')
      ? (JSON.parse(line) as Steps)
      : { error: `it told nothing: ${stderr.trim().slice(-200)}` };
  };
  const run = async (setting: Setting): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (const mode of modes) {
      for (const door of (await setting.house.doors()).filter(({ transport }) =>
        transports.includes(transport),
      )) {
        const steps = await drive(setting, door, mode);
        rows.push({
          client: packages[0].replace(/(?<=.)@[^@]*$/, '') + (mode && `, ${mode}`),
          version: setting.version,
          transport: door.transport,
          era: await door.era(),
          ...verdicts(steps),
          remark: steps.error ?? '',
        });
      }
    }
    return rows;
  };
  return { name, packages, run };
}
