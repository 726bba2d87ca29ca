import type { Writer } from '#store/store.ts';
import { reasonField } from '#workspace/export-format.ts';
import { CommandError, type Command } from './command.ts';

interface ModerationAction {
  readonly summary: string;
  readonly act: (writer: Writer, id: string, reason: string) => Promise<boolean>;
  readonly done: string;
  readonly refused: string;
}

function createModerationCommand({ summary, act, done, refused }: ModerationAction): Command {
  return {
    summary,
    positionals: ['ID'],
    requiredFlags: ['reason'],
    run: async (store, { positionals: [id = ''], reason = '' }, { logStatus }) => {
      const checked = reasonField.safeParse(reason);
      if (!checked.success)
        throw new CommandError(`The reason ${checked.error.issues[0]?.message ?? 'is refused'}.`);
      if (!(await store.write((writer) => act(writer, id, reason)))) throw new CommandError(refused);
      logStatus(done);
    },
  };
}

export const hide = createModerationCommand({
  summary: 'take a post, note or project out of sight',
  act: (writer, id, reason) => writer.hide(id, reason),
  done: 'Hidden: it is gone from every list and read, and its visible replies stay.',
  refused: 'There is no visible record with this id.',
});

export const unhide = createModerationCommand({
  summary: 'bring back what was hidden',
  act: (writer, id, reason) => writer.unhide(id, reason),
  done: 'Visible again.',
  refused: 'There is no hidden record with this id.',
});

export const erase = createModerationCommand({
  summary: 'take the text of a record off the disk for good',
  act: (writer, id, reason) => writer.erase(id, reason),
  done: 'Erased: its text is no longer in the data folder. Backups and exports made before still hold it.',
  refused: 'There is no record with this id.',
});
