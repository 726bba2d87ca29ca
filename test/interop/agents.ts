import { join } from 'node:path';
import type { InteropClient, Row } from './client.ts';
import type { Door } from './service.ts';

interface Agent {
  readonly name: string;
  readonly package: string;
  readonly bin: string;
  readonly settings: Readonly<Record<string, string>>;
  /** How it is told of a server. */
  readonly add: (name: string, door: Door) => readonly string[];
}

const REMARK = 'mcp add and mcp list only; a call would need a model';

/** An agent for the command line: it checks the health of the servers it was told of, and calls tools only for a model. */
function agent({ name, package: client, bin, settings, add }: Agent): InteropClient {
  return {
    name,
    packages: [`${client}@latest`],
    run: async ({ folder, version, house, commands }) => {
      const ask = (...args: string[]) =>
        commands.client(join(folder, 'node_modules/.bin', bin), ['mcp', ...args], { folder, settings });
      const rows: Row[] = [];
      for (const door of await house.doors()) {
        const server = `porchlight-${door.transport.toLowerCase()}`;
        const added = await ask('add', ...add(server, door));
        const listed = await ask('list');
        const said = `${listed.stdout}\n${listed.stderr}`;
        const line = said.split('\n').find((text) => text.includes(`${server}: `)) ?? '';
        const connected = /- (?:\W+ )?Connected$/.test(line.trimEnd());
        const told = line.slice(-80) || `${added.stderr.trim()} ${said.trim()}`.slice(-200);
        rows.push({
          client,
          version,
          transport: door.transport,
          era: await door.era(),
          connect: connected ? 'passed' : 'FAILED',
          list: '-',
          call: '-',
          remark: connected ? REMARK : told,
        });
      }
      return rows;
    },
  };
}

export const claudeCode = agent({
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  bin: 'claude',
  settings: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  add: (server, { target }) =>
    'url' in target
      ? ['--transport', 'http', server, target.url]
      : [server, '--', target.command, ...target.args],
});

/** In a folder that nobody has called trusted it connects to no server. */
export const geminiCli = agent({
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  bin: 'gemini',
  settings: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  add: (server, { target }) =>
    'url' in target ? ['--transport', 'http', server, target.url] : [server, target.command, ...target.args],
});
