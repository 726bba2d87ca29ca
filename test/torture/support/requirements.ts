import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** What a scenario may need besides Node. */
export type Requirement = 'signals' | 'root' | 'prlimit' | 'procfs' | 'netns' | 'caddy' | 'strace';

const succeeds = (name: string, ...args: string[]): boolean =>
  spawnSync(name, args, { timeout: 30_000 }).status === 0;

const PROBES: Readonly<Record<Requirement, readonly [isMet: () => boolean, reason: string]>> = {
  signals: [() => process.platform !== 'win32', 'this system has no signals'],
  root: [
    () => process.getuid?.() === 0 && succeeds('unshare', '--mount', 'true'),
    'this needs root, with the right to mount',
  ],
  procfs: [() => existsSync('/proc/self/status'), 'this system has no /proc'],
  netns: [
    () => process.getuid?.() === 0 && succeeds('ip', 'netns', 'list') && succeeds('unshare', '--net', 'true'),
    'network namespaces need root and iproute2',
  ],
  caddy: [() => succeeds('caddy', 'version'), 'Caddy is not installed'],
  strace: [
    () =>
      succeeds(
        'strace',
        '-D',
        '-f',
        '-qq',
        '-o',
        '/dev/null',
        '-e',
        'inject=fdatasync:delay_enter=1',
        'true',
      ),
    'strace is not installed, or may not trace processes',
  ],
  prlimit: [() => succeeds('prlimit', '--version'), 'prlimit is not installed'],
};

/** @returns why the requirement is not met; undefined if it is */
export function missingRequirement(requirement: Requirement): string | undefined {
  const [isMet, reason] = PROBES[requirement];
  return isMet() ? undefined : reason;
}
