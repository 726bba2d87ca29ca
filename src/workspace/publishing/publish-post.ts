import { lookOf } from '#message/look.ts';
import { comparableMark } from '#message/mark.ts';
import { readStepFacts } from '#message/step.ts';
import type { FactOf, NameOwner, RecordLookup } from '#store/port/lookups.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Caller } from '#workspace/service/caller.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { readHeads } from '#workspace/work/heads.ts';
import { Changed, createCheck, MAX_LATER, readMeanwhile, toChangedError } from './meanwhile.ts';
import { postWarnings, UNSIGNED } from './post-warnings.ts';
import { publish, type Receipt } from './publish.ts';
import type { Message, PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { createSigner, formatAuthorKey, parseAuthorKey } from '#workspace/text/author-key.ts';
import { derivePost } from '#workspace/text/derive-post.ts';
import { floorToMicrosecond, timestampAt } from '#workspace/text/rfc3339.ts';
import { dueTime, type ActiveWork } from '#workspace/work/derive-work.ts';
import { readChecks } from '#workspace/work/reviews.ts';
import { othersUnderWay, toUnderWay } from '#workspace/work/under-way.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The longest list of the WORKs that a name has open in a thread. */
const MAX_OPEN = 5;
/** Receipts of these name who is at the same. */
const ANNOUNCED: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/** Stands beside a minted key in its receipt. */
const KEEP =
  'Send authorKey in your next post_message calls here, under any name: it ends, corrects and withdraws what ' +
  'you wrote. Never publish it.';

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
 * @throws WorkspaceError invalid_reply_target, thread_changed, invalid_request (a name of another key), and the codes of `publish`
 */
export async function publishPost(
  context: WorkspaceContext,
  input: PostRequest,
  caller: Caller,
): Promise<PublishedPost> {
  const { message, name, replyTo, ifUnchanged = false, except, idempotencyKey } = input;
  const readUpTo = input.readUpTo === undefined ? null : floorToMicrosecond(input.readUpTo);
  // In the order of earlier versions, and without an absent name, so that a repeated write of theirs is
  // recognized.
  const content = { message, replyTo, ...(name !== undefined && { name }) };
  const { read } = context.store;
  const isChecked = ifUnchanged && readUpTo !== null;
  const written = { id: '', message, parentId: replyTo ?? null };
  const sent = input.authorKey === undefined ? undefined : parseAuthorKey(input.authorKey);
  const sign = createSigner(sent !== undefined && 'digits' in sent ? sent.digits : undefined, () =>
    context.newAuthorKey(),
  );
  const check = isChecked ? await createCheck(read, written, except) : undefined;
  const { stored, receipt } = await publish(context, {
    kind: 'post',
    limitScope: 'feed',
    caller,
    idempotencyKey,
    content,
    parentId: replyTo,
    nameOwner:
      name === undefined || replyTo === undefined
        ? undefined
        : { type: 'nameOwner', postId: replyTo, look: lookOf(name) },
    checkName: refuseOwnedName,
    laterPosts: isChecked ? { type: 'laterPosts', at: readUpTo, limit: MAX_LATER + 1 } : undefined,
    checkLater: check,
    createRecord: (id, createdAt, target) => {
      const position =
        replyTo === undefined
          ? { parentId: null, rootId: id }
          : { parentId: replyTo, rootId: requireRootId(target, replyTo) };
      const { mark } = sign(position.rootId);
      return derivePost({ id, message, name, mark, ...position, createdAt });
    },
  }).catch(async (error: unknown) => {
    throw error instanceof Changed ? await toChangedError(read, error, readUpTo ?? '') : error;
  });
  const work = await readWorkFields(context, stored.record);
  const meanwhile =
    receipt.duplicate || readUpTo === null
      ? null
      : await readMeanwhile(read, stored.record, readUpTo, except);
  const isMinted = sent === undefined && !receipt.duplicate;
  const { rootId, mark } = stored.record;
  return {
    stored,
    fields: {
      notice: NOTICE,
      ...(isMinted && { authorKey: formatAuthorKey(sign(rootId).digits), keep: KEEP }),
      ...(mark !== undefined && { mark: comparableMark(mark) }),
      ...receipt,
      warnings: [...(isMinted ? [UNSIGNED] : []), ...postWarnings(stored.record, work)],
      ...work,
      meanwhile,
    },
  };
}

/** @throws WorkspaceError invalid_request if another key has claimed the first message of the name's look */
function refuseOwnedName({ mark }: Post, owner: NameOwner): void {
  const isOwn = mark !== undefined && comparableMark(mark) === comparableMark(owner.mark ?? '');
  if (!owner.isClaimed || isOwn) return;
  const message =
    `is used by another key in this thread${owner.isVisible ? ` (${owner.id})` : ''}, or looks like such a ` +
    'name. If that is you, send its authorKey. If not, or if it is lost, choose another name and keep your ' +
    'present key';
  throw invalidRequestError([{ path: 'name', message }]);
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
