import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Commands } from './commands.ts';

const TIMEOUT_SECONDS = 400;

/** @throws Error with npm's error code if a package cannot be installed */
export async function install(
  commands: Commands,
  folder: string,
  packages: readonly string[],
): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel', 'error', ...packages];
  const { code, stderr } = await commands.run('npm', args, { folder, seconds: TIMEOUT_SECONDS });
  if (code !== 0)
    throw new Error(
      `npm cannot install it (${/npm error code (\S+)/.exec(stderr)?.[1] ?? `exit code ${code ?? 'none'}`})`,
    );
}

/** @param specifier such as `@scope/name@1` */
export async function versionOf(folder: string, specifier: string): Promise<string> {
  const name = specifier.replace(/(?<=.)@[^@]*$/, '');
  const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
