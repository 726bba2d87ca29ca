import { readStepFacts } from '#message/step.ts';
import type { FactOf, RecordLookup } from '#store/port/lookups.ts';
import { MAX_COUNTED_NEWS } from '#store/port/pages.ts';
import type { Post, RecordView, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { readHeads } from '#workspace/work/heads.ts';
import { postWarnings } from './post-warnings.ts';
import { publish, type Receipt } from './publish.ts';
import type { Meanwhile, Message, PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { derivePost } from '#workspace/text/derive-post.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import { floorToMicrosecond, timestampAt } from '#workspace/text/rfc3339.ts';
import { dueTime, type ActiveWork } from '#workspace/work/derive-work.ts';
import { readChecks } from '#workspace/work/reviews.ts';
import { othersUnderWay, toUnderWay } from '#workspace/work/under-way.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The longest list of what others posted in the same thread. */
const MAX_IN_THREAD = 10;
/** The longest list of the WORKs that a name has open in a thread. */
const MAX_OPEN = 5;
/** Receipts of these name who is at the same. */
const ANNOUNCED: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

interface PublishedPost {
  readonly stored: RecordView<'post'>;
  /** What a receipt has besides the message. */
  readonly fields: Omit<
    Receipt<typeof PublishedMessage>,
    Exclude<keyof z.infer<typeof Message>, 'checks' | 'corrects'>
  >;
}

/**
 * Publishes a post or a reply.
 * @throws WorkspaceError invalid_reply_target, thread_changed, and the codes of `publish`
 */
export async function publishPost(
  context: WorkspaceContext,
  input: PostRequest,
  caller: Caller,
): Promise<PublishedPost> {
  const { message, name, replyTo, ifUnchanged = false, idempotencyKey } = input;
  const readUpTo = input.readUpTo === undefined ? null : floorToMicrosecond(input.readUpTo);
  // In the order of earlier versions, and without an absent name, so that a repeated write of theirs is
  // recognized.
  const content = { message, replyTo, ...(name !== undefined && { name }) };
  const { read } = context.store;
  const { stored, receipt } = await publish(context, {
    kind: 'post',
    limitScope: 'feed',
    caller,
    idempotencyKey,
    content,
    parentId: replyTo,
    needsLastOfThread: ifUnchanged,
    createRecord: (id, createdAt, target, lastOfThread) => {
      const position =
        replyTo === undefined
          ? { parentId: null, rootId: id }
          : { parentId: replyTo, rootId: requireRootId(target, replyTo) };
      if (ifUnchanged && readUpTo !== null && lastOfThread !== undefined && lastOfThread > readUpTo)
        throw new ThreadChanged(position.rootId, readUpTo);
      return derivePost({ id, message, name, ...position, createdAt });
    },
  }).catch(async (error: unknown) => {
    throw error instanceof ThreadChanged ? await threadChangedError(read, error) : error;
  });
  const work = await readWorkFields(context, stored.record);
  const { rootId, createdAt } = stored.record;
  const meanwhile =
    receipt.duplicate || readUpTo === null
      ? null
      : await readMeanwhile(read, rootId, { after: readUpTo, before: createdAt });
  const warnings = postWarnings(stored.record, work);
  return { stored, fields: { ...receipt, warnings, ...work, meanwhile } };
}

/** Refuses a write with `ifUnchanged`. The error for the caller is made from it. */
class ThreadChanged extends Error {
  readonly rootId: string;
  readonly readUpTo: Timestamp;

  constructor(rootId: string, readUpTo: Timestamp) {
    super('thread_changed');
    this.rootId = rootId;
    this.readUpTo = readUpTo;
  }
}

async function threadChangedError(
  read: Reader,
  { rootId, readUpTo }: ThreadChanged,
): Promise<WorkspaceError> {
  const meanwhile = await readMeanwhile(read, rootId, { after: readUpTo });
  return new WorkspaceError(
    'thread_changed',
    'The thread has messages after readUpTo, so nothing was stored: read on from meanwhile.nextAfter, then ' +
      'send the nextAfter of that read as readUpTo, or leave ifUnchanged out.',
    meanwhile === null ? {} : { meanwhile },
  );
}

/**
 * @param range that ends with the post of the caller, if it is published
 * @returns what others posted; null if it cannot be read, which makes no difference to the post
 */
async function readMeanwhile(
  read: Reader,
  thread: string,
  range: { readonly after: Timestamp; readonly before?: Timestamp },
): Promise<z.infer<typeof Meanwhile> | null> {
  try {
    const [count, posts] = await Promise.all([
      read.countPosts(range, MAX_COUNTED_NEWS),
      read.page('post', { ...range, thread, order: 'newest', limit: MAX_IN_THREAD }),
    ]);
    const inThread = posts.map(({ record: { id, prefix, name, createdAt } }) => ({
      id,
      prefix: prefix as Prefix | null,
      name: name ?? null,
      createdAt,
    }));
    return { count, inThread, nextAfter: count === 0 ? (range.before ?? range.after) : range.after };
  } catch {
    return null;
  }
}

type WorkFields = Pick<
  z.infer<typeof PublishedMessage>,
  'checks' | 'corrects' | 'dueAt' | 'alsoUnderWay' | 'ended' | 'openUnderYourName'
>;

/** What the receipt of a signed message, or of one on which the lists of work depend, says of them. */
async function readWorkFields(
  { store: { read }, work, now }: WorkspaceContext,
  post: Post,
): Promise<WorkFields> {
  const { id, prefix, createdAt, rootId, name = null } = post;
  const facts = readStepFacts(post);
  if (facts === null && name === null) return {};
  const stated: WorkFields = {
    ...(prefix === 'WORK' && { dueAt: timestampAt(dueTime({ due: facts?.due ?? null, createdAt }).at) }),
    ...(prefix === 'RESULT' && { corrects: [...(facts?.corrects ?? [])] }),
  };
  try {
    const time = now();
    const [checks, derived] = await Promise.all([readChecks(read, [{ record: post }]), work.derived()]);
    const ended = (derived.worksIn.get(rootId) ?? []).filter(({ endedBy }) => endedBy?.id === id);
    const others = prefix === null ? [] : othersUnderWay(derived, post, time);
    const open = name === null ? [] : derived.openOf({ rootId, name }).filter(({ step }) => step.id !== id);
    const shown = open.slice(-MAX_OPEN).reverse();
    const heads = await readHeads(
      read,
      [...others, ...shown].map(({ step }) => step.id),
    );
    const titleOf = ({ step }: ActiveWork): string => heads.get(step.id)?.title ?? '';
    return {
      ...stated,
      ...checks.get(id),
      ended: ended.map(({ step }) => step.id),
      ...(shown.length > 0 && {
        openUnderYourName: shown.map((one) => ({
          id: one.step.id,
          title: titleOf(one),
          dueAt: timestampAt(one.due.at),
        })),
      }),
      ...(ANNOUNCED.includes(prefix) && {
        alsoUnderWay: others.map((one) => ({ ...toUnderWay(one), title: titleOf(one) })),
      }),
    };
  } catch {
    // The post is published, whether or not this can be read.
    return stated;
  }
}

/** @returns the root of the thread that a reply joins. @throws WorkspaceError invalid_reply_target */
function requireRootId(target: FactOf<RecordLookup | undefined>, replyTo: string): string {
  if (target?.status !== 'visible' || target.rootId === null) {
    const form = replyTo.startsWith('post_') ? '' : ', and does not begin with post_ as ids of posts do';
    throw new WorkspaceError(
      'invalid_reply_target',
      `replyTo names no visible post${form}; take the id from the feed, or leave replyTo out to begin a ` +
        'thread.',
    );
  }
  return target.rootId;
}
