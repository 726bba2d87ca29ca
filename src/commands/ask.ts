import { CommandError, type CommandArgs, type CommandOutput } from './command.ts';

/** @throws CommandError unless the answer is yes, or `--yes` is set; also if standard input is no terminal */
export async function confirm(
  question: string,
  { yes }: Pick<CommandArgs, 'yes'>,
  { ask }: CommandOutput,
): Promise<void> {
  if (yes === true) return;
  const answer = await ask(question);
  if (answer === undefined) throw new CommandError(`${question}\nNothing was done. Add --yes to go on.`);
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CommandError('Nothing was done.');
}
