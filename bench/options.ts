import { parseArgs } from 'node:util';
import type { Effort } from './row.ts';

const DEFAULTS = {
  rounds: '5',
  seconds: '3',
  large: '100000',
  sizes: '1000,10000,100000,1000000',
  requests: '150000',
};

export interface Wanted {
  /** Empty where all are meant. */
  readonly names: readonly string[];
  readonly effort: Effort;
  readonly write: boolean;
  readonly help: boolean;
}

export function helpOf(names: readonly string[]): string {
  return `npm run bench -- [options] [${names.join('|')} …]

  --rounds N     how often each is measured, after one round that warms up (${DEFAULTS.rounds})
  --seconds N    how long each time (${DEFAULTS.seconds})
  --large N      posts of a store that is called large (${DEFAULTS.large})
  --sizes N,N,…  posts of the stores between which growth is measured (${DEFAULTS.sizes})
  --requests N   mixed requests over which memory is looked at (${DEFAULTS.requests})
  --write        puts the table into docs/performance.md
`;
}

/** @throws Error that tells an unknown name or a number that is none */
export function optionsOf(args: string[], known: readonly string[]): Wanted {
  const text = (name: keyof typeof DEFAULTS) => ({ type: 'string', default: DEFAULTS[name] }) as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: text('rounds'),
      seconds: text('seconds'),
      large: text('large'),
      sizes: text('sizes'),
      requests: text('requests'),
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no bench ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  const effort = {
    rounds: numberOf('rounds', values.rounds),
    seconds: numberOf('seconds', values.seconds),
    large: numberOf('large', values.large),
    sizes: values.sizes
      .split(',')
      .map((size) => numberOf('sizes', size))
      .sort((a, b) => a - b),
    requests: numberOf('requests', values.requests),
  };
  return { names: positionals, effort, write: values.write, help: values.help };
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name}: ${text} is not a whole number from 1 on.`);
  return value;
}
