import { join } from 'node:path';
import type { InteropClient, Row } from './client.ts';
import type { Endpoint } from './service.ts';

interface CliAgent {
  readonly name: string;
  readonly package: string;
  readonly bin: string;
  readonly settings: Readonly<Record<string, string>>;
  /** @returns the arguments of `mcp add` for a server */
  readonly addArguments: (name: string, endpoint: Endpoint) => readonly string[];
}

const REMARK = 'mcp add and mcp list only; a call would need a model';

/** A command-line agent: `mcp list` checks the health of added servers. It calls tools only for a model. */
function cliAgent({ name, package: client, bin, settings, addArguments }: CliAgent): InteropClient {
  return {
    name,
    packages: [`${client}@latest`],
    run: async ({ folder, version, service, commands }) => {
      const runMcp = (...args: string[]) =>
        commands.runClient(join(folder, 'node_modules/.bin', bin), ['mcp', ...args], { folder, settings });
      const rows: Row[] = [];
      for (const endpoint of await service.endpoints()) {
        const server = `porchlight-${endpoint.transport.toLowerCase()}`;
        const added = await runMcp('add', ...addArguments(server, endpoint));
        const listed = await runMcp('list');
        const output = `${listed.stdout}\n${listed.stderr}`;
        const line = output.split('\n').find((text) => text.includes(`${server}: `)) ?? '';
        const connected = /- (?:\W+ )?Connected$/.test(line.trimEnd());
        const problem = line.slice(-80) || `${added.stderr.trim()} ${output.trim()}`.slice(-200);
        rows.push({
          client,
          version,
          transport: endpoint.transport,
          revision: await endpoint.revision(),
          connect: connected ? 'passed' : 'FAILED',
          list: '-',
          call: '-',
          remark: connected ? REMARK : problem,
        });
      }
      return rows;
    },
  };
}

export const claudeCode = cliAgent({
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  bin: 'claude',
  settings: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
  addArguments: (server, { target }) =>
    'url' in target
      ? ['--transport', 'http', server, target.url]
      : [server, '--', target.command, ...target.args],
});

/** Connects to servers only in a trusted folder. */
export const geminiCli = cliAgent({
  name: 'gemini-cli',
  package: '@google/gemini-cli',
  bin: 'gemini',
  settings: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  addArguments: (server, { target }) =>
    'url' in target ? ['--transport', 'http', server, target.url] : [server, target.command, ...target.args],
});
