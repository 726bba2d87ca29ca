import { cliClient } from './cli-client.ts';
import type { Target } from './service.ts';

interface Printed {
  readonly tools: readonly { readonly name: string }[];
}

const server = (target: Target): readonly string[] => [
  ...('url' in target
    ? ['--http-url', target.url, '--allow-http']
    : ['--stdio', target.command, ...target.args.flatMap((arg) => ['--stdio-arg', arg])]),
  ...['--name', 'porchlight'],
];

export const mcporter = cliClient({
  name: 'mcporter',
  package: 'mcporter',
  bin: 'mcporter',
  modes: [''],
  list: (target) => ['list', ...server(target), '--json'],
  call: (target, _mode, tool, args) => [
    ...['call', ...server(target), '--tool', tool],
    ...['--args', JSON.stringify(args), '--output', 'json'],
  ],
  namesIn: (output) => (JSON.parse(output) as Printed).tools.map(({ name }) => name),
});
