import { parseArgs } from 'node:util';
import { runToEnd } from '../torture/support/run-to-end.ts';
import { Sandbox } from '../torture/support/sandbox.ts';
import { secondsSince } from '../torture/support/time.ts';
import {
  emptyRow,
  type ArgumentsRow,
  type InteropClient,
  type Row,
  type ClientContext,
  type WaitRun,
} from './client.ts';
import { hasFailures, toBlocks, toCoreBlock, writeBlocks, type ClientResults } from './client-report.ts';
import { CLIENTS } from './clients.ts';
import { Commands } from './commands.ts';
import { toReport } from './conformance/report.ts';
import { CONFORMANCE, runConformance } from './conformance/run-conformance.ts';
import { InteropService } from './service.ts';
import { newerNode } from './newer-node.ts';
import { install, versionOf } from './packages.ts';
import { runWaits } from './waits.ts';

const SUITE = 'conformance';
const CLIENT_NAMES = CLIENTS.map(({ name }) => name);
const NAMES = [...CLIENT_NAMES, SUITE];

const HELP = `npm run interop -- [--core] [name ...]

Installs real MCP clients into a temporary folder, connects them to the real service over each transport they have, and
prints the results. At the end every client waits for messages, all at the same time, for at most 240 seconds.
Runs every client and writes docs/clients.md, unless some are named. With --core the clients use /mcp/core and
stdio --tools core:

${NAMES.map((name) => `  ${name}`).join('\n')}
`;

const sandbox = new Sandbox();
const commands = new Commands();
sandbox.after(() => {
  commands.close();
});

let nodePath: Promise<string> | undefined;

type UseClient<Result> = (context: ClientContext) => Promise<Result>;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @returns the result, or a message if the packages cannot be installed */
async function installAndUse<Result>(
  packages: InteropClient['packages'],
  service: InteropService,
  useClient: UseClient<Result>,
): Promise<Result | string> {
  const folder = await sandbox.createFolder();
  try {
    nodePath ??= sandbox.createFolder().then((folder) => newerNode(commands, folder));
    commands.node = await nodePath;
    await install(commands, folder, packages);
  } catch (error) {
    return reasonOf(error);
  }
  const version = await versionOf(folder, packages[0]);
  return useClient({ folder, version, service, commands, createFolder: () => sandbox.createFolder() });
}

/** What clients add to beside their rows. */
interface Later {
  readonly hostArguments: ArgumentsRow[];
  readonly waits: WaitRun[];
}

/** @param later gets the waits, which begin when every client has run @returns the rows of the client */
async function rowsOf(client: InteropClient, service: InteropService, later: Later): Promise<readonly Row[]> {
  const start = performance.now();
  try {
    const rows = await installAndUse(client.packages, service, async (context) => {
      const result = await client.run(context);
      if (client.badArguments !== undefined) later.hostArguments.push(await client.badArguments(context));
      later.waits.push(...((await client.waits?.(context)) ?? []));
      return result;
    });
    return typeof rows === 'string' ? [emptyRow(client.name, 'not run', rows)] : rows;
  } catch (error) {
    return [emptyRow(client.name, 'FAILED', reasonOf(error))];
  } finally {
    console.error(`${client.name}: ${secondsSince(start)} s`);
  }
}

interface Arguments {
  readonly help: boolean;
  /** Whether the clients use the small endpoint. */
  readonly core: boolean;
  readonly names: readonly string[];
}

/** @throws Error if an argument is unknown */
function readArguments(): Arguments {
  const {
    values: { help = false, core = false },
    positionals,
  } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, core: { type: 'boolean' } },
  });
  const known = core ? CLIENT_NAMES : NAMES;
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`There is no client called ${unknown.join(', ')}.`);
  return { help, core, names: positionals.length > 0 ? positionals : known };
}

/** @returns whether nothing failed */
async function runClients({ names, core }: Arguments, service: InteropService): Promise<boolean> {
  const rows: Row[] = [];
  const later: Later = { hostArguments: [], waits: [] };
  for (const client of CLIENTS.filter(({ name }) => names.includes(name)))
    rows.push(...(await rowsOf(client, service, later)));
  const waits = await runWaits(later.waits);
  const { stdout } = await commands.runClient(commands.node, ['--version'], {
    folder: await sandbox.createFolder(),
  });
  const results: ClientResults = {
    node: stdout.trim(),
    rows,
    hostArguments: later.hostArguments,
    waits,
  };
  const tables = toBlocks(results);
  console.log(Object.values(tables).join('\n\n'));
  const isWhole = CLIENT_NAMES.every((name) => names.includes(name));
  if (isWhole) writeBlocks(core ? toCoreBlock(results) : tables);
  return !hasFailures(results);
}

/** @returns whether nothing failed */
async function runSuite(service: InteropService): Promise<boolean> {
  const reports = await installAndUse([CONFORMANCE], service, runConformance);
  if (typeof reports === 'string') {
    console.log(`${CONFORMANCE}\n\nnot run: ${reports}`);
    return true;
  }
  const report = toReport(CONFORMANCE, reports);
  console.log(report);
  const surprises = reports.flatMap(({ version, surprises }) => surprises.map((one) => `${version} ${one}`));
  for (const surprise of surprises) console.error(`FAILED: ${surprise}`);
  if (surprises.length === 0) writeBlocks({ conformance: report });
  return surprises.length === 0;
}

async function main(): Promise<number> {
  const options = readArguments();
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const service = await InteropService.open(sandbox, { core: options.core });
  const clientsPassed = await runClients(options, service);
  const suitePassed = !options.names.includes(SUITE) || (await runSuite(service));
  return clientsPassed && suitePassed ? 0 : 1;
}

await runToEnd({ main, cleanUp: () => sandbox.close(), help: HELP });
