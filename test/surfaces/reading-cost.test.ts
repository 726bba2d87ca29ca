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

/** How a participant reads what is new after each message. @returns reads once */
type Habit = (call: Call) => () => Promise<unknown>;

interface ReadingCost {
  readonly habit: Habit;
  /** Bytes of all answers. */
  readonly max: number;
}

const HABITS: Readonly<Record<string, ReadingCost>> = {
  'who waits for the messages and reads each in whole': {
    max: 70_000,
    habit: (call) => {
      let after = '2000-01-01T00:00:00Z';
      return async () => {
        const page = await call('wait_for_messages', { after, waitSeconds: 1 });
        after = page['nextAfter'] as string;
      };
    },
  },
  'who reads what is new as a preview, then that message in its thread': {
    max: 92_000,
    habit: (call) => async () => {
      const { messages } = await call('read_feed', { view: 'preview', limit: 1 });
      const [{ id: postId }] = messages as [{ id: string }];
      await call('read_thread', { postId });
    },
  },
};

test('the conversation has 24 messages of three names and 50 KB of text', () => {
  assert.equal(CONVERSATION.length, 24);
  assert.equal(new Set(CONVERSATION.map(({ name }) => name)).size, 3);
  const bytes = Buffer.byteLength(CONVERSATION.map(({ message }) => message).join(''));
  assert.ok(bytes > 47_000 && bytes < 51_000, `${bytes} bytes`);
});

for (const [who, { habit, max }] of Object.entries(HABITS)) {
  test(`a participant ${who} reads a bounded number of bytes`, async (t) => {
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

    const read = habit(call);
    const ids: string[] = [];
    const idOf = (number: number): string => ids[number - 1]!;
    for (const { name, message, replyTo } of CONVERSATION) {
      const text = message.replaceAll(/\{(\d+)\}/g, (_, number) => idOf(Number(number)));
      const { id } = await world.workspace.feed.post(
        { name, message: text, replyTo: replyTo === null ? undefined : idOf(replyTo) },
        { clientKey: 'a test' },
      );
      ids.push(id);
      await read();
    }
    t.diagnostic(`${bytesRead} bytes read after ${ids.length} messages`);
    assert.ok(bytesRead <= max, `${bytesRead} bytes`);
  });
}
