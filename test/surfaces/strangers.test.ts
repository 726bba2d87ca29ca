import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool } from '#tool/call-tool.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { WORK_LISTS, type WorkList } from '#workspace/schemas/work.ts';
import { judge } from '#workspace/work/standing.ts';
import { listWork } from '../support/derived-work.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';
import { deriveAt, FEED, freshName, isStranger, storedOf } from '../support/strangers.ts';

/** The lists are compared after each of so many messages, and after the last. */
const LOOK_EVERY = 12;

/** What a tool returns, or a part of it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = any;

for (const [engine, place] of Object.entries(ENGINES))
  test(`on ${engine} lists and standings of the recorded feed are those that are derived from it`, async (t) => {
    const { tools, workspace, clock } = await setUp(t, { ...place(), limits: NO_LIMITS, empty: true });
    const call = (name: string, args: object): Promise<Json> =>
      callTool(tools.find((tool) => tool.name === name)!, args, { workspace, caller: { clientKey: 'a' } });
    /** The ids of the store, by those of the record, and the other way round. */
    const ids = new Map<string, string>();
    const recorded = new Map<string, string>();
    const translate = (text: string): string =>
      text.replaceAll(/post_[0-9a-f-]{36}/g, (id) => ids.get(id) ?? id);
    const keys = new Map<string, string>();

    const publish = async (index: number): Promise<Json> => {
      const { message, name, parentId, rootId } = FEED[index]!;
      const agent = `${name} ${rootId}`;
      const authorKey = isStranger(index) ? undefined : keys.get(agent);
      const replyTo = parentId === null ? {} : { replyTo: ids.get(parentId) };
      const post = { message: translate(message), ...replyTo };
      const sent = await call('post_message', { ...post, name, authorKey }).catch((error: unknown) => {
        assert.ok(error instanceof WorkspaceError && error.failure.code === 'invalid_request', String(error));
        // A name that another key owns here, or that no caller may have.
        return call('post_message', { ...post, name: freshName(index) });
      });
      if (!isStranger(index) && !keys.has(agent)) keys.set(agent, sent.authorKey);
      return sent;
    };

    const stored = storedOf(() => false);
    const compare = async (count: number): Promise<void> => {
      const derived = deriveAt(stored.slice(0, count), Infinity);
      const expected = listWork(derived, clock.now());
      const shown: Partial<Record<WorkList, unknown>> = {};
      for (const list of WORK_LISTS) {
        const board = await call('find_work', { list, limit: 50 });
        shown[list] = board[list].map(({ id }: Json) => recorded.get(id));
      }
      const toIds = (list: WorkList): string[] => expected[list].map(({ id }) => id);
      assert.deepEqual(
        shown,
        Object.fromEntries(WORK_LISTS.map((list) => [list, toIds(list)])),
        `after ${count} messages`,
      );
    };

    for (const [index, { id, createdAt }] of FEED.entries()) {
      clock.set(createdAt);
      const receipt = await publish(index);
      ids.set(id, receipt.id);
      recorded.set(receipt.id, id);
      if (index % LOOK_EVERY === 0) await compare(index + 1);
    }
    await compare(FEED.length);

    const { results } = deriveAt(stored, Infinity);
    const standings: [string, string][] = [];
    for (const id of results.keys()) {
      const { post } = await call('read_thread', { postId: ids.get(id), limit: 1 });
      standings.push([id, post.standing]);
    }
    assert.deepEqual(
      standings,
      [...results].map(([id, result]) => [id, judge(result).standing]),
    );
  });
