import { parseArgs } from 'node:util';
import type { Settings } from './row.ts';

const DEFAULTS = {
  rounds: '5',
  seconds: '3',
  large: '100000',
  largest: '300000',
};

export interface BenchOptions {
  /** Empty for all benches. */
  readonly names: readonly string[];
  readonly settings: Settings;
  readonly write: boolean;
  readonly help: boolean;
}

export function helpText(names: readonly string[]): string {
  return `npm run bench -- [options] [${names.join('|')} …]

  --rounds N     how often each is measured, after one warm-up round (${DEFAULTS.rounds})
  --seconds N    how long each time (${DEFAULTS.seconds})
  --large N      posts of a large store (${DEFAULTS.large})
  --largest N    posts of the largest folder (${DEFAULTS.largest})
  --write        writes the rows that have a goal into docs/performance.md
`;
}

/** @throws Error if a name is unknown or a number invalid */
export function parseOptions(args: string[], known: readonly string[]): BenchOptions {
  const text = (name: keyof typeof DEFAULTS) => ({ type: 'string', default: DEFAULTS[name] }) as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      rounds: text('rounds'),
      seconds: text('seconds'),
      large: text('large'),
      largest: text('largest'),
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no bench ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  const settings = {
    rounds: parseNumber('rounds', values.rounds),
    seconds: parseNumber('seconds', values.seconds),
    large: parseNumber('large', values.large),
    largest: parseNumber('largest', values.largest),
  };
  return { names: positionals, settings, write: values.write, help: values.help };
}

function parseNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name}: ${text} is not a whole number from 1.`);
  return value;
}
