import { cliClient } from './cli-client.ts';
import type { Target } from './service.ts';

interface Printed {
  readonly result?: { readonly tools?: readonly { readonly name: string }[] };
}

const argsOf = (target: Target, mode: string, ...method: readonly string[]): readonly string[] => [
  ...['--cli', '--format', 'json', '--protocol-era', mode.replace('--cli, ', ''), '--method', ...method],
  ...('url' in target
    ? ['--server-url', target.url, '--transport', 'http']
    : ['--', target.command, ...target.args]),
];

/** `--strict` fails on tool schemas that some clients cannot read. */
export const inspector = cliClient({
  name: 'inspector',
  package: '@modelcontextprotocol/inspector',
  bin: 'mcp-inspector',
  modes: ['--cli, legacy', '--cli, auto', '--cli, modern'],
  list: (target, mode) => argsOf(target, mode, 'tools/list', '--strict'),
  call: (target, mode, tool, args) =>
    argsOf(
      target,
      mode,
      ...['tools/call', '--tool-name', tool],
      ...Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${String(value)}`]),
    ),
  namesIn: (output) => (JSON.parse(output) as Printed).result?.tools?.map(({ name }) => name) ?? [],
});
