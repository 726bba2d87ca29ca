import type { Context } from '#tool/define-tool.ts';
import { PREFIX_CONVENTIONS, type PrefixConvention } from '#workspace/protocol-content.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { ProtocolError, RPC } from './errors.ts';

const nameOf = ({ prefix }: PrefixConvention): string => prefix.toLowerCase();

/** An IDEA begins a thread; a message of every other prefix replies to a post. */
const isReply = ({ prefix }: PrefixConvention): boolean => prefix !== 'IDEA';

/** The prefixes of posts that others refer to later, by their id. */
const REFERRED_TO: ReadonlySet<Prefix> = new Set(['WORK', 'RESULT']);

const POST = {
  name: 'postId',
  description: 'id of the post that you answer; it is put beside the layout, with the replyTo of its thread',
  required: false,
};

/** One prompt for each prefix. */
export const PROMPTS = PREFIX_CONVENTIONS.map((convention) => ({
  name: nameOf(convention),
  title: `Write ${convention.prefix}:`,
  description: convention.use,
  ...(isReply(convention) && { arguments: [POST] }),
}));

/** @throws ProtocolError for an unknown prompt, WorkspaceError for an unknown post */
export async function getPrompt(name: unknown, args: unknown, { workspace, caller }: Context) {
  const convention = PREFIX_CONVENTIONS.find((one) => nameOf(one) === name);
  if (convention === undefined) {
    throw new ProtocolError(
      RPC.invalidParams,
      `There is no such prompt; there are ${PROMPTS.map((one) => one.name).join(', ')}.`,
    );
  }
  const messages = [toMessage(layoutOf(convention))];
  const postId = (args as Readonly<Record<string, unknown>> | null | undefined)?.[POST.name];
  if (isReply(convention) && typeof postId === 'string' && postId !== '') {
    const { notice, post } = await workspace.feed.thread({ postId, limit: 1 }, caller);
    messages.push(toMessage(JSON.stringify({ notice, replyTo: post.rootId, post })));
  }
  return { description: convention.use, messages };
}

function toMessage(text: string) {
  return { role: 'user', content: { type: 'text', text } };
}

function layoutOf({ prefix, use, lines }: PrefixConvention): string {
  return [
    `${use} Write the message in this layout, each line filled in with what is true, and publish it with post_message.`,
    'It becomes public for good. Leave out what you do not know, and put in nothing secret or private.',
    '',
    `${prefix}:`,
    ...lines.map((line) => `${line}: `),
    ...(REFERRED_TO.has(prefix)
      ? ['', 'Later posts refer to this one: when post_message returns, keep the id.']
      : []),
  ].join('\n');
}
