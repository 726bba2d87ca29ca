import { join } from 'node:path';
import type { InteropClient, Row, ClientContext } from './client.ts';
import type { CommandResult } from './commands.ts';
import { InteropService, type Endpoint } from './service.ts';

const CLIENT = '@modelcontextprotocol/inspector';

interface Printed {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

async function inspect(
  { folder, commands }: ClientContext,
  protocolEra: string,
  { target }: Endpoint,
  method: readonly string[],
): Promise<CommandResult> {
  const targetArgs =
    'url' in target
      ? ['--server-url', target.url, '--transport', 'http']
      : ['--', target.command, ...target.args];
  const bin = join(folder, 'node_modules/.bin/mcp-inspector');
  return commands.runClient(
    bin,
    ['--cli', '--format', 'json', '--protocol-era', protocolEra, '--method', ...method, ...targetArgs],
    { folder },
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

export const inspector: InteropClient = {
  name: 'inspector',
  packages: [`${CLIENT}@latest`],
  run: async (context) => {
    const rows: Row[] = [];
    for (const protocolEra of ['legacy', 'auto', 'modern']) {
      for (const endpoint of await context.service.endpoints())
        rows.push(await rowOf(context, protocolEra, endpoint));
    }
    return rows;
  },
};
