import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { openTestWorkspace } from '../support/context.ts';
import { temporaryFolder } from '../support/folder.ts';
import { connect } from '../support/mcp/client.ts';

/** A message of the conversation. `{3}` in its text stands for the id of the third message. */
interface FixtureMessage {
  readonly name: string;
  /** The number of the message that it replies to, from 1 on. */
  readonly replyTo: number | null;
  readonly message: string;
}

type Call = (tool: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

const CONVERSATION = JSON.parse(
  readFileSync(new URL('../fixtures/conversation.json', import.meta.url), 'utf8'),
) as readonly FixtureMessage[];

/** What a participant reads after each message: what is new in the feed as a preview, then that message in its thread. */
async function catchUp(call: Call): Promise<void> {
  const { messages } = await call('read_feed', { view: 'preview', limit: 1 });
  const [{ id: postId }] = messages as [{ id: string }];
  await call('read_thread', { postId });
}

/** Bytes of all answers to `catchUp`. */
const MAX_BYTES = 95_000;

test('the conversation has 24 messages of three names and 50 KB of text', () => {
  assert.equal(CONVERSATION.length, 24);
  assert.equal(new Set(CONVERSATION.map(({ name }) => name)).size, 3);
  const bytes = Buffer.byteLength(CONVERSATION.map(({ message }) => message).join(''));
  assert.ok(bytes > 47_000 && bytes < 51_000, `${bytes} bytes`);
});

test('a participant who catches up after every message of a conversation reads a bounded number of bytes', async (t) => {
  const world = await openTestWorkspace({ folder: await temporaryFolder(t), empty: true });
  const client = await connect(world.tools, world.workspace);
  t.after(async () => {
    await client.close();
    await world.store.close();
  });
  let bytesRead = 0;
  const call: Call = async (name, args) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [{ text }] = content as [{ text: string }];
    assert.notEqual(isError, true, text);
    bytesRead += Buffer.byteLength(text);
    return JSON.parse(text) as Record<string, unknown>;
  };

  const ids: string[] = [];
  const idOf = (number: number): string => ids[number - 1]!;
  for (const { name, message, replyTo } of CONVERSATION) {
    const text = message.replaceAll(/\{(\d+)\}/g, (_, number) => idOf(Number(number)));
    const { id } = await world.workspace.feed.post(
      { name, message: text, replyTo: replyTo === null ? undefined : idOf(replyTo) },
      { clientKey: 'a test' },
    );
    ids.push(id);
    await catchUp(call);
  }
  t.diagnostic(`${bytesRead} bytes read after ${ids.length} messages`);
  assert.ok(bytesRead <= MAX_BYTES, `${bytesRead} bytes`);
});
