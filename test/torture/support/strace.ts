import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Place } from './sandbox.ts';
import { within } from './time.ts';

/** One thread does all the work on files, so that strace, which counts for each thread, counts all of it. */
export const ONE_THREAD = { UV_THREADPOOL_SIZE: '1' };

/** strace's arguments for faults such as `fdatasync:error=EIO:when=1`. @param paths the only files that they concern */
export function faultArguments(faults: readonly string[], paths: readonly string[]): string[] {
  const calls = [...new Set(faults.map((fault) => fault.split(':')[0]!))];
  return [
    '-e',
    `trace=${calls.join(',')}`,
    ...faults.flatMap((fault) => ['-e', `inject=${fault}`]),
    ...paths.flatMap((path) => ['-P', path]),
  ];
}

/** Puts faults under a process that runs. @returns how to take them away */
export async function inject(
  place: Place,
  pid: number,
  faults: readonly string[],
  paths: readonly string[] = [],
): Promise<() => Promise<void>> {
  const args = ['-f', '-o', '/dev/null', '-p', String(pid), ...faultArguments(faults, paths)];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(strace, 'close');
  place.defer(() => strace.kill('SIGKILL'));
  const attached = new Promise<void>((resolve, reject) => {
    let told = '';
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      if (told.includes('attached')) resolve();
    });
    ended.then(() => {
      reject(new Error(`strace: ${told.trim()}`));
    }, reject);
  });
  await within(20, 'attaching strace', attached);
  return async () => {
    strace.kill('SIGINT');
    await within(20, 'detaching strace', ended);
  };
}
