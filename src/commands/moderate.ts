import type { Writer } from '#store/store.ts';
import { reasonField } from '#workspace/export-format.ts';
import { CommandError, type Command } from './command.ts';

interface ModerationAction {
  readonly summary: string;
  readonly apply: (writer: Writer, id: string, reason: string) => Promise<boolean>;
  readonly success: string;
  readonly failure: string;
}

function createModerationCommand({ summary, apply, success, failure }: ModerationAction): Command {
  return {
    summary,
    positionals: ['ID'],
    requiredFlags: ['reason'],
    run: async (store, { positionals: [id = ''], reason = '' }, { logStatus }) => {
      const checked = reasonField.safeParse(reason);
      if (!checked.success)
        throw new CommandError(`The reason ${checked.error.issues[0]?.message ?? 'is refused'}.`);
      if (!(await store.write((writer) => apply(writer, id, reason)))) throw new CommandError(failure);
      logStatus(success);
    },
  };
}

export const hide = createModerationCommand({
  summary: 'hide a post, note or project',
  apply: (writer, id, reason) => writer.hide(id, reason),
  success: 'Hidden: it is gone from every list and read, and its visible replies stay.',
  failure: 'There is no visible record with this id.',
});

export const unhide = createModerationCommand({
  summary: 'show a hidden record again',
  apply: (writer, id, reason) => writer.unhide(id, reason),
  success: 'Visible again.',
  failure: 'There is no hidden record with this id.',
});

export const erase = createModerationCommand({
  summary: 'delete the text of a record from the store for good',
  apply: (writer, id, reason) => writer.erase(id, reason),
  success: 'Erased: its text is no longer in the store. Backups and exports made before still hold it.',
  failure: 'There is no record with this id.',
});
