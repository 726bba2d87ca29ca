import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

/** What a promise may need of the machine, besides Node. */
export type Need =
  | 'signals'
  | 'root'
  | 'strace'
  | 'attaching'
  | 'prlimit'
  | 'libfaketime'
  | 'procfs'
  | 'netns';

const runs = (name: string, ...args: string[]): boolean =>
  spawnSync(name, args, { timeout: 30_000 }).status === 0;

/** @returns where the library is, if it is installed */
export function libfaketime(): string | undefined {
  const folders = [
    '/usr/lib',
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
    '/usr/local/lib',
    '/usr/lib64',
  ];
  return folders
    .map((folder) => `${folder}/faketime`)
    .flatMap((folder) => {
      try {
        return readdirSync(folder)
          .filter((name) => name.startsWith('libfaketimeMT.so'))
          .map((name) => `${folder}/${name}`);
      } catch {
        return [];
      }
    })[0];
}

const PROBES: Readonly<Record<Need, readonly [there: () => boolean, otherwise: string]>> = {
  signals: [() => process.platform !== 'win32', 'this system has no signals'],
  root: [() => process.getuid?.() === 0 && runs('unshare', '--mount', 'true'), 'mounting needs root'],
  strace: [() => runs('strace', '-o', '/dev/null', 'true'), 'strace is not installed, or may not trace here'],
  attaching: [
    () => runs('sh', '-c', 'sleep 1 & exec strace -o /dev/null -p $!'),
    'strace may not attach to a process here (kernel.yama.ptrace_scope)',
  ],
  procfs: [() => existsSync('/proc/self/status'), 'this system has no /proc'],
  netns: [
    () => process.getuid?.() === 0 && runs('ip', 'netns', 'list') && runs('unshare', '--net', 'true'),
    'network namespaces need root and iproute2',
  ],
  prlimit: [() => runs('prlimit', '--version'), 'prlimit is not installed'],
  libfaketime: [() => libfaketime() !== undefined, 'libfaketime is not installed'],
};

/** @returns why it is missing, or undefined where it is there */
export function missing(need: Need): string | undefined {
  const [there, otherwise] = PROBES[need];
  return there() ? undefined : otherwise;
}
