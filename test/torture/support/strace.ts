import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Sandbox } from './sandbox.ts';
import { withTimeout } from './time.ts';

/** One thread for all file operations, since strace counts calls for each thread. */
export const SINGLE_THREAD = { UV_THREADPOOL_SIZE: '1' };

/**
 * @returns strace's arguments for faults such as `fdatasync:error=EIO:when=1`.
 * @param paths limits them to these files
 */
export function faultArguments(faults: readonly string[], paths: readonly string[]): string[] {
  const calls = [...new Set(faults.map((fault) => fault.split(':')[0]!))];
  return [
    '-e',
    `trace=${calls.join(',')}`,
    ...faults.flatMap((fault) => ['-e', `inject=${fault}`]),
    ...paths.flatMap((path) => ['-P', path]),
  ];
}

/** Injects faults into a running process. @returns a function that removes them */
export async function injectFaults(
  sandbox: Sandbox,
  pid: number,
  faults: readonly string[],
  paths: readonly string[] = [],
): Promise<() => Promise<void>> {
  const args = ['-f', '-o', '/dev/null', '-p', String(pid), ...faultArguments(faults, paths)];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(strace, 'close');
  sandbox.defer(() => strace.kill('SIGKILL'));
  const attached = new Promise<void>((resolve, reject) => {
    let output = '';
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('attached')) resolve();
    });
    ended.then(() => {
      reject(new Error(`strace: ${output.trim()}`));
    }, reject);
  });
  await withTimeout(20, 'attaching strace', attached);
  return async () => {
    strace.kill('SIGINT');
    await withTimeout(20, 'detaching strace', ended);
  };
}
