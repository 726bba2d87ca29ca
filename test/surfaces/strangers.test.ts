import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBytes } from 'node:crypto';
import { WORK_LISTS, type WorkList } from '#work/board.ts';
import { toSignature } from '#work/say.ts';
import { judge } from '#work/verdicts.ts';
import { callTool } from '#tool/call-tool.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { createAuthorKey, formatAuthorKey, KEY_BYTES } from '#workspace/text/author-key.ts';
import { listWork } from '../support/derived-work.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';
import { ATTACKS, attackedBy } from '../support/attacks.ts';
import { deriveAt, otherName, RECORDED, storedOf, type Attempt } from '../support/strangers.ts';

/** The lists are compared after each of so many messages, and after the last. */
const LOOK_EVERY = 12;
/** Messages of a feed with an attack, whose test would take long. */
const MAX_ATTACKED = 80;

/** What a tool returns, or a part of it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = any;

const keyOf = ({ isStranger, isSigned, writer }: Attempt): string | null =>
  isStranger && isSigned !== true ? null : writer;

const FEEDS: Readonly<Record<string, readonly Attempt[]>> = {
  'of the recorded feed': RECORDED,
  'under a stranger who knows the rules': attackedBy(
    ATTACKS['does so with a key, once it has used their names'],
  ).slice(0, MAX_ATTACKED),
};

for (const [engine, place] of Object.entries(ENGINES))
  for (const [which, feed] of Object.entries(FEEDS))
    test(`on ${engine} lists and standings ${which} are those that are derived from it`, async (t) => {
      const { tools, workspace, clock } = await setUp(t, { ...place(), limits: NO_LIMITS, empty: true });
      const call = (name: string, args: object): Promise<Json> =>
        callTool(tools.find((tool) => tool.name === name)!, args, { workspace, caller: { clientKey: 'a' } });
      /** The ids of the store, by those of the feed, and the other way round. */
      const ids = new Map<string, string>();
      const recorded = new Map<string, string>();
      const translate = (text: string): string =>
        text.replaceAll(/post_[0-9a-f-]{36}/g, (id) => ids.get(id) ?? id);
      const keys = new Map<string, string>();

      const publish = async (attempt: Attempt, index: number): Promise<Json> => {
        const { message, name, parentId, rootId } = attempt.post;
        const slot = `${keyOf(attempt)} ${rootId}`;
        if (attempt.isSigned === true && !keys.has(slot))
          keys.set(slot, formatAuthorKey(createAuthorKey(randomBytes(KEY_BYTES))));
        const authorKey = keyOf(attempt) === null ? undefined : keys.get(slot);
        const replyTo = parentId === null ? {} : { replyTo: ids.get(parentId) };
        const post = { message: translate(message), ...replyTo, authorKey };
        const sent = await call('post_message', { ...post, name }).catch((error: unknown) => {
          assert.ok(
            error instanceof WorkspaceError && error.failure.code === 'invalid_request',
            String(error),
          );
          // A name that another key owns here, or that no caller may have.
          return call('post_message', { ...post, name: otherName(attempt, index, keyOf(attempt)) });
        });
        if (sent.authorKey !== undefined && keyOf(attempt) !== null) keys.set(slot, sent.authorKey);
        return sent;
      };

      const stored = storedOf(feed, { keyOf });
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

      for (const [index, attempt] of feed.entries()) {
        const { id, createdAt } = attempt.post;
        clock.set(createdAt);
        const receipt = await publish(attempt, index);
        ids.set(id, receipt.id);
        recorded.set(receipt.id, id);
        if (index % LOOK_EVERY === 0) await compare(index + 1);
      }
      await compare(feed.length);

      const board = deriveAt(stored, Infinity);
      const { results } = board;
      for (const [index, post] of stored.entries()) {
        if (!results.has(post.id) && index % LOOK_EVERY > 0) continue;
        const read = (await call('read_thread', { postId: ids.get(post.id), limit: 1 })).post;
        const result = results.get(post.id);
        const { mark, namesakeOf } = toSignature(board.authorOf(post));
        assert.deepEqual(
          [read.standing, read.mark !== undefined, recorded.get(read.namesakeOf)],
          [result && judge(result).standing, mark !== undefined, namesakeOf],
          post.id,
        );
      }
    });
