import { parseArgs } from 'node:util';
import { Refusal, type Command } from '#operator/command.ts';
import { terminal } from '#operator/terminal.ts';
import { StoreFailure } from '#store/store.ts';
import { ConfigError, readConfig } from './config.ts';
import { openStore } from './world.ts';

const FLAGS = { reason: { type: 'string' }, to: { type: 'string' }, continue: { type: 'boolean' } } as const;

/**
 * Runs an operator's command on the store of the settings, beside the servers that run on it.
 * @throws ConfigError where the words are off, Refusal where the store says no
 */
export async function operate(name: string, command: Command, args: string[]): Promise<void> {
  const { values: { 'data-dir': folder, ...flags }, positionals } = parseArgs({
    args, options: { 'data-dir': { type: 'string' }, ...FLAGS }, allowPositionals: true,
  });
  refuseOtherWords(name, command, positionals, Object.keys(flags));
  const report = (what: string): void => { terminal.tell(what); };
  const place = readConfig({ ...process.env, ...(folder && { DATA_DIR: folder }) });
  const store = await openStore(place, report, command.makesStore !== true);
  try {
    const target = flags.to === undefined ? undefined : await openStore({ dataDir: flags.to }, report);
    try {
      await command.run(store, { words: positionals, reason: flags.reason, target, goesOn: flags.continue === true }, terminal);
    } finally {
      await target?.close();
    }
  } catch (error) {
    if (!(error instanceof StoreFailure && error.kept === 'unknown')) throw error;
    throw new Refusal(`${error.message}. It may be done only in part; run the same command again once that is mended.`);
  } finally {
    await store.close();
  }
}

function refuseOtherWords(name: string, { words, usage, needs = [], takes = [] }: Command, given: readonly string[], flags: readonly string[]): void {
  const known: readonly string[] = [...needs, ...takes];
  if (given.length === words && needs.every((flag) => flags.includes(flag)) && flags.every((flag) => known.includes(flag))) return;
  throw new ConfigError(`Write: porchlight ${name} ${usage}`.trimEnd());
}
