import { CommandError, type CommandArgs, type CommandOutput } from './command.ts';

/**
 * Asks before a command acts, unless the operator gave --yes.
 * @throws CommandError if the answer is no, or if there is nobody to ask
 */
export async function confirm(
  question: string,
  { yes }: Pick<CommandArgs, 'yes'>,
  { ask }: CommandOutput,
): Promise<void> {
  if (yes) return;
  const answer = await ask(question);
  if (answer === undefined) throw new CommandError(`${question}\nNothing was done. Add --yes to go on.`);
  if (!/^\s*y(?:es)?\s*$/i.test(answer)) throw new CommandError('Nothing was done.');
}
