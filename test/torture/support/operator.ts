import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { LAUNCHER } from '../../support/product.ts';
import type { Sandbox } from './sandbox.ts';
import type { LaunchOptions } from './server.ts';
import { withTimeout } from './time.ts';

export interface CommandOutcome {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

const TIMEOUT_SECONDS = 120;

/** Runs an operator command in a process of its own. */
export async function runOperator(
  sandbox: Sandbox,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  { wrapper = [], uid }: LaunchOptions = {},
): Promise<CommandOutcome> {
  const [command, ...words] = [...wrapper, process.execPath, LAUNCHER, ...args] as [string, ...string[]];
  const child = spawn(command, words, {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...settings },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  sandbox.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await withTimeout(TIMEOUT_SECONDS, `porchlight ${args[0] ?? ''}`, once(child, 'close'));
  return { code: child.exitCode, output };
}
