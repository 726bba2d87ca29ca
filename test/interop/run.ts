import { parseArgs } from 'node:util';
import { Sandbox } from '../torture/support/sandbox.ts';
import { secondsSince } from '../torture/support/time.ts';
import { hasFailed, rowWithout, type InteropClient, type Row, type Setting } from './client.ts';
import { CLIENTS } from './clients.ts';
import { Commands } from './commands.ts';
import { CONFORMANCE, conform, isConforming } from './conformance.ts';
import { House } from './service.ts';
import { newerNode } from './newer-node.ts';
import { install, versionOf } from './packages.ts';
import { clientTable, conformanceTable } from './table.ts';

const SUITE = 'conformance';
const NAMES = [...CLIENTS.map(({ name }) => name), SUITE];

const HELP = `npm run interop -- [name ...]

Installs real MCP clients into a temporary folder, lets them use the real service over each transport they have, and prints
what became of it. All, unless some are named:

${NAMES.map((name) => `  ${name}`).join('\n')}
`;

const place = new Sandbox();
const commands = new Commands();
place.defer(() => {
  commands.close();
});

let node: Promise<string> | undefined;

type Use<Result> = (setting: Setting) => Promise<Result>;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @returns why it cannot be tried, or what came of trying it */
async function attempt<Result>(
  packages: InteropClient['packages'],
  house: House,
  use: Use<Result>,
): Promise<Result | string> {
  const folder = await place.createFolder();
  try {
    node ??= place.createFolder().then((own) => newerNode(commands, own));
    commands.node = await node;
    await install(commands, folder, packages);
  } catch (error) {
    return reasonOf(error);
  }
  return use({ folder, version: await versionOf(folder, packages[0]), house, commands });
}

async function rowsOf(client: InteropClient, house: House): Promise<readonly Row[]> {
  const start = performance.now();
  try {
    const rows = await attempt(client.packages, house, (setting) => client.run(setting));
    return typeof rows === 'string' ? [rowWithout(client.name, 'not run', rows)] : rows;
  } catch (error) {
    return [rowWithout(client.name, 'FAILED', reasonOf(error))];
  } finally {
    console.error(`${client.name}: ${secondsSince(start)} s`);
  }
}

/** @throws where the command line says something else than the help */
function readArguments(): { readonly help: boolean; readonly names: readonly string[] } {
  const {
    values: { help = false },
    positionals,
  } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean' } } });
  const unknown = positionals.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`There is no client called ${unknown.join(', ')}.`);
  return { help, names: positionals.length > 0 ? positionals : NAMES };
}

/** @returns whether nothing failed */
async function tryClients(clients: readonly InteropClient[], house: House): Promise<boolean> {
  const rows: Row[] = [];
  for (const client of clients) rows.push(...(await rowsOf(client, house)));
  const { stdout } = await commands.client(commands.node, ['--version'], {
    folder: await place.createFolder(),
  });
  console.log(`Service on Node ${process.version}, clients on Node ${stdout.trim()}, ${process.platform}\n`);
  if (rows.length > 0) console.log(`${clientTable(rows)}\n`);
  return !rows.some(hasFailed);
}

/** @returns whether nothing failed */
async function tryConformance(house: House): Promise<boolean> {
  const found = await attempt([CONFORMANCE], house, conform);
  console.log(`${CONFORMANCE}\n`);
  console.log(typeof found === 'string' ? `not run: ${found}` : conformanceTable(found));
  return typeof found === 'string' || found.every(isConforming);
}

async function main(names: readonly string[]): Promise<number> {
  const house = await House.open(place);
  const served = await tryClients(
    CLIENTS.filter(({ name }) => names.includes(name)),
    house,
  );
  const conforms = !names.includes(SUITE) || (await tryConformance(house));
  return served && conforms ? 0 : 1;
}

/** What is under way is ended and removed, whatever ends us. npm passes Ctrl+C on, so that it comes twice. */
let leaving: Promise<void> | undefined;

function leaveOn(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'uncaughtException', code: number): void {
  process.on(event, (what: unknown) => {
    if (leaving !== undefined) return;
    console.error(what);
    leaving = place.close().finally(() => process.exit(code));
  });
}

leaveOn('SIGINT', 130);
leaveOn('SIGTERM', 143);
leaveOn('SIGHUP', 129);
leaveOn('uncaughtException', 1);
let code = 2;
try {
  const { help, names } = readArguments();
  if (help) console.log(HELP);
  code = help ? 0 : await main(names);
} catch (error) {
  if (leaving === undefined) console.error(`${reasonOf(error)}\n\n${HELP}`);
}
await leaving;
await place.close();
process.exit(code);
