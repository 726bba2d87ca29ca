import { createHash } from 'node:crypto';
import type { Store } from '#store/port/store.ts';
import { encodeExport, ExportLineError, validateEntry } from '#workspace/log/export-format.ts';
import { CommandError, type Command, type Advance, type CommandOutput } from './command.ts';
import { importEntries } from './import-entries.ts';

/**
 * Copies all records and moderations to another store with the same ids, times and order, without the write
 * history (client keys) and the freeze. `--continue` resumes an interrupted copy. At the end the command
 * reads and compares both stores.
 */
export const copy: Command = {
  summary: 'copy everything into another store: a folder or a database',
  requiredFlags: ['to'],
  optionalFlags: ['continue'],
  run: async (store, { target, continue: resumes, now }, output) => {
    if (target === undefined) throw new CommandError('Name the other store with --to.');
    if (resumes !== true && !(await isEmpty(target))) {
      throw new CommandError(
        'The other store is not empty, and nothing was copied. Add --continue to resume an interrupted ' +
          'copy, or to copy what is new here.',
      );
    }
    const { imported, skipped } = await copyEntries(store, target, now(), output);
    output.logStatus(`Copied ${imported}, skipped ${skipped} existing. Comparing …`);
    const [here, there] = await compare(store, target, output);
    if (here !== there) {
      throw new CommandError(
        'The stores differ: one of them was written to during the copy, or the other one had more entries. ' +
          'Freeze this one (porchlight freeze), and run the same command with --continue.',
      );
    }
    output.logStatus('Both stores have the same entries in the same order.');
  },
};

async function isEmpty({ read }: Store): Promise<boolean> {
  for await (const _ of read.history()) return false;
  return true;
}

async function copyEntries(
  from: Store,
  to: Store,
  now: number,
  { progress }: CommandOutput,
): ReturnType<typeof importEntries> {
  const total = await verify(from, now, progress);
  const interrupted = (done: number): string =>
    `${done} of ${total} entries are copied. To copy the rest, run the same command with --continue.`;
  return progress({ unit: 'entries', total, interrupted }, (advance) =>
    importEntries(to, from.read.history(), advance),
  );
}

/** @returns the number of entries. @throws CommandError if an entry is one that `import` rejects */
async function verify({ read }: Store, now: number, progress: CommandOutput['progress']): Promise<number> {
  const interrupted = (): string => 'Interrupted. Nothing was copied.';
  let total = 0;
  try {
    await progress({ unit: 'entries verified', interrupted }, async (advance) => {
      for await (const entry of read.history()) {
        total += 1;
        validateEntry(entry, now);
        advance(1);
      }
    });
  } catch (error) {
    if (!(error instanceof ExportLineError)) throw error;
    throw new CommandError(`Entry ${total} of this store ${error.message}. Nothing was copied.`);
  }
  return total;
}

async function compare(from: Store, to: Store, { progress }: CommandOutput): Promise<[string, string]> {
  const interrupted = (): string =>
    'Everything is copied, but not compared. To compare the stores, run the same command with --continue.';
  return progress({ unit: 'entries compared', interrupted }, async (advance) => [
    await summarize(from, advance),
    await summarize(to, advance),
  ]);
}

/** Returns a digest of all entries in order, and the totals of visible records. */
async function summarize({ read }: Store, advance: Advance): Promise<string> {
  const hash = createHash('sha256');
  for await (const line of encodeExport(read.history())) {
    hash.update(`${line}\n`);
    advance(1);
  }
  const { byPrefix, ...totals } = await read.totals();
  const visible = Object.entries(byPrefix)
    .filter(([, count]) => count > 0)
    .sort();
  return JSON.stringify([hash.digest('hex'), totals, visible]);
}
