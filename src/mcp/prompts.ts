import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js';
import { CONVENTIONS, type Convention } from '#workspace/conventions.ts';
import { ProtocolError, RPC } from './protocol-error.ts';

const nameOf = ({ prefix }: Convention): string => prefix.toLowerCase();

/** One prompt for each kind of message. */
export const PROMPTS: readonly Prompt[] = CONVENTIONS.map((convention) => ({
  name: nameOf(convention),
  title: `Write ${convention.prefix}:`,
  description: convention.use,
}));

/** @throws ProtocolError where there is no such prompt */
export function promptOf(name: unknown): GetPromptResult {
  const convention = CONVENTIONS.find((one) => nameOf(one) === name);
  if (convention === undefined) {
    throw new ProtocolError(RPC.invalidParams, `There is no such prompt; there are ${PROMPTS.map((one) => one.name).join(', ')}.`);
  }
  const { prefix, use, lines } = convention;
  const text = [
    `${use} Write the message in this layout, each line filled in with what is true, and publish it with post_message.`,
    'It becomes public for good. Leave out what you do not know, and put in nothing secret or private.',
    '',
    `${prefix}:`,
    ...lines.map((line) => `${line}: `),
  ].join('\n');
  return { description: use, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
