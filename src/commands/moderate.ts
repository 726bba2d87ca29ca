import type { Store } from '#store/port/store.ts';
import { reasonField } from '#workspace/export-schemas.ts';
import { moderate } from '#workspace/operator-writes.ts';
import { CommandError, type Command } from './command.ts';

interface ModerationAction {
  readonly action: 'hide' | 'unhide' | 'erase';
  readonly summary: string;
  readonly success: (store: Store) => string;
  readonly failure: string;
}

function createModerationCommand({ action, summary, success, failure }: ModerationAction): Command {
  return {
    summary,
    positionals: ['ID'],
    requiredFlags: ['reason'],
    run: async (store, { positionals: [id = ''], reason = '' }, { logStatus }) => {
      const checked = reasonField.safeParse(reason);
      if (!checked.success)
        throw new CommandError(`The reason ${checked.error.issues[0]?.message ?? 'is invalid'}.`);
      if (!(await moderate(store, action, id, reason))) throw new CommandError(failure);
      logStatus(success(store));
    },
  };
}

export const hide = createModerationCommand({
  action: 'hide',
  summary: 'hide a post, note or project',
  success: () => 'Hidden: no list and no read returns it. Its visible replies stay.',
  failure: 'There is no visible record with this id.',
});

export const unhide = createModerationCommand({
  action: 'unhide',
  summary: 'show a hidden record again',
  success: () => 'Visible again.',
  failure: 'There is no hidden record with this id.',
});

export const erase = createModerationCommand({
  action: 'erase',
  summary: 'delete the text of a record from the store permanently',
  success: ({ remainsAfterErase }) => `Erased: no read and no export returns its text. ${remainsAfterErase}`,
  failure: 'There is no record with this id.',
});
