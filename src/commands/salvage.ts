import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import type { Loss, Salvage } from '#store/port/store.ts';
import { CommandError, describeSystemError, type CommandOutput } from './command.ts';
import { writeExportFile } from './export.ts';

/** @throws CommandError if the folder or file cannot be used, or if there are losses */
export async function salvage(
  folder: string,
  file: string,
  read: () => Promise<Salvage>,
  output: CommandOutput,
): Promise<void> {
  if (await isWithin(folder, file))
    throw new CommandError(
      'The export file is in the damaged folder, which salvage must not change: name another place.',
    );
  const { history, losses, frozen } = await read().catch(refuse);
  const entries = await writeExportFile(history(), file, output);
  output.logStatus(`Exported ${entries} records and moderations.`);
  if (frozen)
    output.logStatus('The store was frozen. An import does not freeze: run porchlight freeze after it.');
  for (const loss of losses) output.printResult(describe(loss));
  if (losses.length === 0) return;
  throw new CommandError(
    'The folder is damaged; the list above shows what is lost. A lost line may have hidden or erased a ' +
      'record: check the records before you publish them again.',
    'incomplete',
  );
}

/** @throws CommandError if the folder cannot be read */
async function isWithin(folder: string, file: string): Promise<boolean> {
  const top = await realpath(folder).catch(refuse);
  // If the folder does not exist, creating the file reports it.
  const path = relative(top, await realpath(dirname(file)).catch(() => dirname(top)));
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** @throws CommandError that says why the folder cannot be read */
function refuse(error: unknown): never {
  if (error instanceof Error && error.name === 'CorruptionError') throw new CommandError(`${error.message}.`);
  throw new CommandError(`The folder cannot be read: ${describeSystemError(error)}.`);
}

function describe({ file, bytes, what }: Loss): string {
  return `${file}${bytes === undefined ? '' : `, bytes ${bytes[0]} to ${bytes[1]}`}: ${what}`;
}
