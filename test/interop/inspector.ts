import { join } from 'node:path';
import type { InteropClient, Row, ClientContext, WaitRun } from './client.ts';
import type { CommandResult } from './commands.ts';
import { InteropService, type Endpoint } from './service.ts';
import { waitRun, type WaitReport } from './waits.ts';

const CLIENT = '@modelcontextprotocol/inspector';

const PROTOCOLS = ['legacy', 'auto', 'modern'];

const WAIT_SECONDS = 25;

interface Printed {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

async function inspect(
  { folder, commands }: ClientContext,
  protocolEra: string,
  { target }: Endpoint,
  method: readonly string[],
  seconds?: number,
): Promise<CommandResult> {
  const targetArgs =
    'url' in target
      ? ['--server-url', target.url, '--transport', 'http']
      : ['--', target.command, ...target.args];
  const bin = join(folder, 'node_modules/.bin/mcp-inspector');
  return commands.runClient(
    bin,
    ['--cli', '--format', 'json', '--protocol-era', protocolEra, '--method', ...method, ...targetArgs],
    { folder, ...(seconds !== undefined && { seconds }) },
  );
}

/** `--strict` fails on tool schemas that some clients cannot read. */
async function rowOf(context: ClientContext, protocolEra: string, endpoint: Endpoint): Promise<Row> {
  const listed = await inspect(context, protocolEra, endpoint, ['tools/list', '--strict']);
  const called = await inspect(context, protocolEra, endpoint, ['tools/call', '--tool-name', 'read_feed']);
  const revision = await endpoint.revision();
  const names =
    listed.code === 0
      ? (JSON.parse(listed.stdout) as Printed).result?.tools?.map(({ name }) => name)
      : undefined;
  return {
    client: `${CLIENT} --cli, ${protocolEra}`,
    version: context.version,
    transport: endpoint.transport,
    revision: revision,
    connect: revision === '-' ? 'FAILED' : 'passed',
    list: InteropService.areTools(names ?? []) ? 'passed' : 'FAILED',
    call: called.code === 0 && InteropService.isFeed(called.stdout) ? 'passed' : 'FAILED',
    remark: [listed, called]
      .map(({ code, stderr }) => (code === 0 ? '' : stderr.trim().slice(-200)))
      .filter(Boolean)
      .join('; '),
  };
}

/** The time includes the start of the Inspector, which does not show notices of progress. */
async function waitOnce(
  context: ClientContext,
  protocolEra: string,
  endpoint: Endpoint,
  timeout: number,
): Promise<WaitReport> {
  const call = [
    'tools/call',
    '--tool-name',
    'wait_for_messages',
    '--tool-arg',
    `waitSeconds=${WAIT_SECONDS}`,
  ];
  const start = performance.now();
  const { code, stdout, stderr } = await inspect(context, protocolEra, endpoint, call, timeout);
  const seconds = (performance.now() - start) / 1000;
  return code === 0 ? { response: stdout, seconds } : { seconds, error: stderr.trim().slice(-200) };
}

export const inspector: InteropClient = {
  name: 'inspector',
  packages: [`${CLIENT}@latest`],
  run: async (context) => {
    const rows: Row[] = [];
    for (const protocolEra of PROTOCOLS) {
      for (const endpoint of await context.service.endpoints())
        rows.push(await rowOf(context, protocolEra, endpoint));
    }
    return rows;
  },
  waits: async (context) => {
    const runs: WaitRun[] = [];
    for (const protocolEra of PROTOCOLS) {
      for (const endpoint of await context.service.endpoints())
        runs.push(
          waitRun(`${CLIENT} --cli, ${protocolEra}`, context, endpoint, WAIT_SECONDS, (timeout) =>
            waitOnce(context, protocolEra, endpoint, timeout),
          ),
        );
    }
    return runs;
  },
};
