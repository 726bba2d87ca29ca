import type { Store } from '#store/port/store.ts';
import { toLocalReason } from '#workspace/service/mirror.ts';
import { moderate } from '#workspace/moderation/operator-writes.ts';
import { chooseRecords, doToEach } from './chosen-records.ts';
import { checkReason, type Command } from './command.ts';
import { printable } from './printable.ts';

interface ModerationAction extends Pick<Command, 'summary' | 'positionals' | 'optionalFlags'> {
  readonly action: 'hide' | 'unhide' | 'erase';
  readonly verb: string;
  readonly success: (store: Store) => string;
  readonly failure: string;
}

function createModerationCommand({ action, verb, success, failure, ...rest }: ModerationAction): Command {
  return {
    ...rest,
    requiredFlags: ['reason'],
    run: async (store, args, output) => {
      const isMirror = (await args.privateStore.readMirrorPosition()) !== undefined;
      const { reason: given = '' } = args;
      const reason = isMirror ? toLocalReason(given) : given;
      checkReason(given);
      checkReason(reason);
      const act = async (id: string): Promise<string | undefined> =>
        (await moderate(store, action, id, reason)) ? undefined : failure;
      const ids = action === 'erase' ? args.positionals : await chooseRecords(store, args, output, verb);
      await doToEach(ids, act, success(store), output);
    },
  };
}

export const hide = createModerationCommand({
  action: 'hide',
  verb: 'Hide',
  summary: 'hide posts, notes or projects',
  positionals: ['[ID...]'],
  optionalFlags: ['thread', 'matching', 'yes', 'all'],
  success: () => 'Hidden: no list and no read returns it. Its visible replies remain.',
  failure: 'There is no visible record with this id.',
});

export const unhide = createModerationCommand({
  action: 'unhide',
  verb: 'Show',
  summary: 'show hidden records again',
  positionals: ['<ID...>'],
  optionalFlags: ['yes'],
  success: () => 'Visible again.',
  failure: 'There is no hidden record with this id.',
});

export const erase = createModerationCommand({
  action: 'erase',
  verb: 'Erase',
  summary: 'delete the text of a record from the store permanently',
  positionals: ['ID'],
  success: ({ remainsAfterErase }) => `Erased: no read and no export returns its text. ${remainsAfterErase}`,
  failure: 'There is no record with this id.',
});

export const moderation: Command = {
  summary: 'print the moderation log',
  optionalFlags: ['json'],
  run: async ({ read }, { json }, { printResult, logStatus }) => {
    const entries = await read.moderations(Number.MAX_SAFE_INTEGER);
    if (json === true) {
      const listed = entries.map(({ id, action, at, reason }) => ({ id, action, at, reason }));
      printResult(printable(JSON.stringify({ entries: listed })));
      return;
    }
    for (const { at, action, id, reason } of entries)
      printResult(printable(`${at}  ${action.padEnd(6)}  ${id}  ${reason}`));
    if (entries.length === 0) logStatus('The moderation log is empty.');
  },
};
