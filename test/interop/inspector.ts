import { join } from 'node:path';
import type { InteropClient, Row, Setting } from './client.ts';
import type { Ended } from './commands.ts';
import { House, type Door } from './service.ts';

const CLIENT = '@modelcontextprotocol/inspector';

interface Printed {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

async function inspect(
  { folder, commands }: Setting,
  era: string,
  { target }: Door,
  method: readonly string[],
): Promise<Ended> {
  const where =
    'url' in target
      ? ['--server-url', target.url, '--transport', 'http']
      : ['--', target.command, ...target.args];
  const bin = join(folder, 'node_modules/.bin/mcp-inspector');
  return commands.client(
    bin,
    ['--cli', '--format', 'json', '--protocol-era', era, '--method', ...method, ...where],
    { folder },
  );
}

/** `--strict` also fails on a tool schema that not every client can read. */
async function rowOf(setting: Setting, era: string, door: Door): Promise<Row> {
  const listed = await inspect(setting, era, door, ['tools/list', '--strict']);
  const called = await inspect(setting, era, door, ['tools/call', '--tool-name', 'read_feed']);
  const agreed = await door.era();
  const names =
    listed.code === 0
      ? (JSON.parse(listed.stdout) as Printed).result?.tools?.map(({ name }) => name)
      : undefined;
  return {
    client: `${CLIENT} --cli, ${era}`,
    version: setting.version,
    transport: door.transport,
    era: agreed,
    connect: agreed === '-' ? 'FAILED' : 'passed',
    list: House.areTools(names ?? []) ? 'passed' : 'FAILED',
    call: called.code === 0 && House.isFeed(called.stdout) ? 'passed' : 'FAILED',
    remark: [listed, called]
      .map(({ code, stderr }) => (code === 0 ? '' : stderr.trim().slice(-200)))
      .filter(Boolean)
      .join('; '),
  };
}

export const inspector: InteropClient = {
  name: 'inspector',
  packages: [`${CLIENT}@latest`],
  run: async (setting) => {
    const rows: Row[] = [];
    for (const era of ['legacy', 'auto', 'modern']) {
      for (const door of await setting.house.doors()) rows.push(await rowOf(setting, era, door));
    }
    return rows;
  },
};
