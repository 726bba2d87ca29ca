import { createHash } from 'node:crypto';
import type { Store } from '#store/store.ts';
import { encodeExport } from '#workspace/export-format.ts';
import { CommandError, type Command, type CommandOutput, type Progress } from './command.ts';
import { BatchImporter } from './batch-importer.ts';

/**
 * Moves a workspace to another store: the same ids, times and order, hidden records and moderation too, nothing about
 * visitors, and not whether writing is frozen. Cut short it goes on where it was; at the end both stores are read and
 * compared.
 */
export const copy: Command = {
  summary: 'bring everything into another store: a folder, or the address of a database',
  requiredFlags: ['to'],
  optionalFlags: ['continue'],
  run: async (store, { target, resume }, console) => {
    if (target === undefined) throw new CommandError('Say with --to where everything goes.');
    if (!resume && !(await isEmpty(target))) {
      throw new CommandError(
        'The other store is not empty, and nothing was copied. To go on with a copy that was cut short, or to ' +
          'bring in what is new here, add --continue.',
      );
    }
    const { kept, known } = await copyEntries(store, target, console);
    console.logStatus(`Copied ${kept}, passed over ${known} that were there. Comparing …`);
    const [here, there] = await compare(store, target, console);
    if (here !== there) {
      throw new CommandError(
        'The stores are not the same: something was written to one of them meanwhile, or the other one held more. ' +
          'Freeze this one (porchlight freeze), and run the same command with --continue.',
      );
    }
    console.logStatus('Both hold the same, in the same order.');
  },
};

async function isEmpty({ read }: Store): Promise<boolean> {
  for await (const _ of read.history()) return false;
  return true;
}

async function copyEntries(
  from: Store,
  to: Store,
  { progress }: CommandOutput,
): Promise<{ kept: number; known: number }> {
  const total = await countEntries(from, progress);
  const bar = progress({
    unit: 'entries',
    total,
    interrupted: (done) =>
      `${done} of ${total} entries are copied. To copy the rest, run the same command with --continue.`,
  });
  const intake = new BatchImporter(to, (by) => {
    bar.advance(by);
  });
  try {
    for await (const entry of from.read.history()) await intake.add(entry);
    await intake.finish();
  } finally {
    bar.done();
  }
  return intake.counts;
}

async function countEntries({ read }: Store, progress: CommandOutput['progress']): Promise<number> {
  const bar = progress({ unit: 'entries counted', interrupted: () => 'Interrupted. Nothing was copied.' });
  let total = 0;
  try {
    for await (const _ of read.history()) {
      total += 1;
      bar.advance(1);
    }
  } finally {
    bar.done();
  }
  return total;
}

async function compare(from: Store, to: Store, { progress }: CommandOutput): Promise<[string, string]> {
  const bar = progress({
    unit: 'entries compared',
    interrupted: () =>
      'Everything is copied, but not compared. To compare the stores, run the same command with --continue.',
  });
  try {
    return [await summaryOf(from, bar), await summaryOf(to, bar)];
  } finally {
    bar.done();
  }
}

/** A digest of all entries in their order, and the totals that readers see. */
async function summaryOf({ read }: Store, bar: Progress): Promise<string> {
  const hash = createHash('sha256');
  for await (const line of encodeExport(read.history())) {
    hash.update(`${line}\n`);
    bar.advance(1);
  }
  const { byPrefix, ...totals } = await read.totals();
  const visible = Object.entries(byPrefix)
    .filter(([, count]) => count > 0)
    .sort();
  return JSON.stringify([hash.digest('hex'), totals, visible]);
}
