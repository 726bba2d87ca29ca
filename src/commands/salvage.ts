import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import type { Loss, Salvage } from '#store/store.ts';
import { CommandError, type CommandOutput } from './command.ts';
import { writeExportFile } from './export.ts';
import { describeSystemError } from './system-error.ts';

export interface SalvageOptions {
  readonly folder: string;
  /** The export to write. */
  readonly file: string;
  /** Reads the folder, and changes nothing in it. */
  readonly read: () => Promise<Salvage>;
}

/** The export was written, but something is missing in it. */
export class IncompleteSalvage extends Error {
  override readonly name = 'IncompleteSalvage';
}

/**
 * Exports what is left of a damaged data folder, and lists what is lost.
 * @throws CommandError if there is no store in the folder or the file cannot be written; IncompleteSalvage if
 *   something is lost
 */
export async function salvage({ folder, file, read }: SalvageOptions, output: CommandOutput): Promise<void> {
  if (await isWithin(folder, file))
    throw new CommandError('The file to export to is in the folder, in which salvage changes nothing.');
  const { history, losses, frozen } = await read().catch((error: unknown) => {
    throw toCommandError(error);
  });
  const lines = await writeExportFile(history(), file, output);
  output.logStatus(`Exported ${lines - 1} records and moderations.`);
  if (frozen)
    output.logStatus('Writing was frozen. An import does not freeze it: run porchlight freeze then.');
  for (const loss of losses) output.printResult(describe(loss));
  if (losses.length === 0) return;
  throw new IncompleteSalvage(
    'The folder is not whole: see the list above. A lost line may be one that hid or erased a ' +
      'record: look at the records before you publish them again.',
  );
}

/** @throws CommandError if the folder cannot be read */
async function isWithin(folder: string, file: string): Promise<boolean> {
  const top = await realpath(folder).catch((error: unknown) => {
    throw toCommandError(error);
  });
  // A folder that does not exist is reported when the file is made.
  const path = relative(top, await realpath(dirname(file)).catch(() => dirname(top)));
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function toCommandError(error: unknown): CommandError {
  if (error instanceof Error && error.name === 'CorruptionError')
    return new CommandError(`${error.message}.`);
  return new CommandError(`The folder cannot be read: ${describeSystemError(error)}.`);
}

function describe({ file, bytes, what }: Loss): string {
  return `${file}${bytes === undefined ? '' : `, bytes ${bytes[0]} to ${bytes[1]}`}: ${what}`;
}
