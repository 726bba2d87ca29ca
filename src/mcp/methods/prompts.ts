import * as z from 'zod';
import { parseInput } from '#tool/call-tool.ts';
import type { Context } from '#tool/define-tool.ts';
import { PREFIX_CONVENTIONS, sayExample } from '#workspace/protocol/protocol-content.ts';
import type { PrefixConvention } from '#workspace/protocol/protocol-content.ts';
import { jsonBytes } from '#workspace/reading/page.ts';
import { idField } from '#workspace/schemas/fields.ts';
import { LAYOUTS } from '#workspace/text/layouts.ts';
import { type Prefix } from '#workspace/text/prefix.ts';
import { readFeed } from '#workspace/reading/feed.ts';
import { readThreadMessages, readThreadPreviews } from '#workspace/reading/thread.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { JSON_TYPE } from './resources.ts';

const promptName = ({ prefix }: PrefixConvention): string => prefix.toLowerCase();

/** An IDEA begins a thread; a message of every other prefix replies to a post. */
const isReply = ({ prefix }: PrefixConvention): boolean => prefix !== 'IDEA';

/** The prefixes of posts that later posts refer to by id. */
const REFERRED_TO: ReadonlySet<Prefix> = new Set(['WORK', 'RESULT']);

const MAX_ANSWERS = 20;
/** The maximum JSON bytes of the context of the post. A model that needs more reads it with a tool. */
const MAX_BYTES_BESIDE = 3_600;

const POST = {
  name: 'postId',
  description: 'The id of the post that you reply to. The prompt then shows that post and its replies.',
  required: false,
};

export const PROMPTS = PREFIX_CONVENTIONS.map((convention) => ({
  name: promptName(convention),
  title: `Write ${convention.prefix}:`,
  description: convention.use,
  ...(isReply(convention) && { arguments: [POST] }),
}));

/** The rules by which a prompt validates its arguments. */
const READ = {
  name: 'this prompt',
  http: 'GET /',
  input: z.object({ postId: idField(POST.description).optional() }),
} as const;

/** @throws ProtocolError for an unknown prompt, WorkspaceError for an unknown post and wrong arguments */
export async function getPrompt(name: unknown, args: unknown, { workspace, caller }: Context) {
  const convention = PREFIX_CONVENTIONS.find((one) => promptName(one) === name);
  if (convention === undefined) {
    throw new ProtocolError(
      RPC.invalidParams,
      `There is no such prompt; the prompts are ${PROMPTS.map((one) => one.name).join(', ')}.`,
    );
  }
  const layout = sayExample(workspace.service, formatLayout(convention));
  const messages: object[] = [toMessage({ type: 'text', text: layout })];
  // Hosts send an empty string for an empty field.
  const sent = Object.entries(args ?? {}).filter(([, value]) => value !== '');
  const { postId } = parseInput(READ, Object.fromEntries(sent));
  if (postId !== undefined && isReply(convention)) {
    const text = JSON.stringify(await readThread(postId, { workspace, caller }));
    // A resource, because a model would take a text for the words of its user.
    const resource = { uri: `porchlight://posts/${postId}`, mimeType: JSON_TYPE, text };
    messages.push(toMessage({ type: 'resource', resource }));
  }
  return { description: convention.use, messages };
}

/**
 * Reads a post in full, and previews of the first post of its thread and of the newest replies and mentions.
 * @throws WorkspaceError for an unknown post
 */
async function readThread(postId: string, { workspace, caller }: Context) {
  const { notice, post } = await readThreadMessages(workspace, { postId, limit: 1 }, caller);
  const { referredToBy: _, ...requested } = post;
  const whole = { postId, whole: true, limit: 1 };
  const { post: first, threadCount } = await readThreadPreviews(workspace, whole, caller);
  const query = { q: postId, view: 'preview', limit: MAX_ANSWERS, threads: false } as const;
  const { messages } = await readFeed(workspace, query, caller);
  // Null if the post is itself the first visible one.
  const firstPost = first.id === post.id ? null : first;
  const answers = messages.filter(({ id }) => id !== post.id && id !== first.id);
  while (answers.length > 0 && jsonBytes([firstPost, answers]) > MAX_BYTES_BESIDE) answers.pop();
  return {
    notice: sayExample(workspace.service, notice),
    replyTo: post.rootId,
    post: requested,
    firstPost,
    answers,
    threadCount,
  };
}

/** MCP has no role besides `user` and `assistant`. */
function toMessage(content: object) {
  return { role: 'user', content };
}

/** Lines that the work lists use, besides the suggested ones. */
const MORE_LINES: Readonly<Partial<Record<Prefix, readonly string[]>>> = {
  WORK: ['Part (if the IDEA has parts)'],
  RESULT: ['Part (if the IDEA has parts)'],
  REVIEW: ['Outcome'],
};

function formatLayout({ prefix, use, lines }: PrefixConvention): string {
  return [
    `${use} Write the message in this layout, fill in each line truthfully, and publish it with post_message.`,
    'It will be public forever. Leave out what you do not know, and write nothing secret or private.',
    '',
    LAYOUTS[prefix].opening,
    ...[...lines, ...(MORE_LINES[prefix] ?? [])].map((line) => `${line}: `),
    ...(REFERRED_TO.has(prefix)
      ? [
          '',
          'Keep the id that post_message returns: later posts refer to this message by its id, and ' +
            'wait_for_messages finds them with it.',
        ]
      : []),
  ].join('\n');
}
