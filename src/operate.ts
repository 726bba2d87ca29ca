import { parseArgs } from 'node:util';
import { Refusal, type Command } from '#operator/command.ts';
import { terminal } from '#operator/terminal.ts';
import { StoreFailure } from '#store/store.ts';
import { ConfigError, readConfig } from './config.ts';
import { openStore } from './world.ts';

/**
 * Runs an operator's command on the store of DATA_DIR, beside the servers that run on it.
 * @throws ConfigError where the words are off, Refusal where the store says no
 */
export async function operate(name: string, { words, needsReason = false, makesStore = false, usage, run }: Command, args: string[]): Promise<void> {
  const options = { 'data-dir': { type: 'string' }, 'reason': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const { reason } = values;
  if (positionals.length !== words || (reason !== undefined) !== needsReason) {
    throw new ConfigError(`Write: porchlight ${name} ${usage}`.trimEnd());
  }
  const { dataDir } = readConfig({ ...process.env, ...(values['data-dir'] && { DATA_DIR: values['data-dir'] }) });
  const store = await openStore({ dataDir }, (what) => { terminal.tell(what); }, !makesStore);
  try {
    await run(store, { words: positionals, reason }, terminal);
  } catch (error) {
    if (!(error instanceof StoreFailure && error.kept === 'unknown')) throw error;
    throw new Refusal(`${error.message}. It may be done only in part; run the same command again once that is mended.`);
  } finally {
    await store.close();
  }
}
