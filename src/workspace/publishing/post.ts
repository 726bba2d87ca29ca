import { toSigner } from '#message/signer.ts';
import { refersTo } from '#message/references.ts';
import { MAX_SAME_KEY, readSameKey } from '#message/same-key.ts';
import type { FactOf, RecordLookup } from '#store/port/lookups.ts';
import type { RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { signWith } from '#workspace/service/mirror.ts';
import { Changed, createCheck, type IsOwn, MAX_LATER, readMeanwhile, toChangedError } from './meanwhile.ts';
import { postWarnings } from './post-warnings.ts';
import { publish, type Receipt } from './publish.ts';
import { readWorkFields, type WorkFields } from './receipt.ts';
import type { Message, PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { parsePrefix, derivePost } from '#workspace/text/prefix.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** With these prefixes and `readUpTo`, `ifUnchanged` is true by default. */
const CHECKED: readonly (string | null)[] = ['WORK', 'REVIEW'];

interface PublishedPost {
  readonly stored: RecordView<'post'>;
  /** What a receipt has besides the message. */
  readonly fields: Omit<Receipt<typeof PublishedMessage>, keyof z.infer<typeof Message>> & WorkFields;
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
  const { message, name, replyTo, idempotencyKey } = input;
  const readUpTo = input.readUpTo === undefined ? null : floorToMicrosecond(input.readUpTo);
  // Without a member for an absent name, so that a repeated call may leave it out or send null.
  const content = { message, replyTo, ...(name !== undefined && { name }) };
  const prefix = parsePrefix(message);
  const isChecked = readUpTo !== null && (input.ifUnchanged ?? CHECKED.includes(prefix));
  const sign = signWith(input.authorKey, context.service.mirror);
  const isOwn: IsOwn = ({ rootId, mark }) =>
    rootId !== null && mark != null && toSigner(mark) === sign(rootId);
  const { refusalLimit } = context;
  const refused = isChecked ? refusalLimit.reached(caller, 'ifUnchanged') : undefined;
  const check =
    isChecked && refused === undefined
      ? await createCheck(context, { message, parentId: replyTo ?? null }, isOwn)
      : undefined;
  const written = { id: '', message, parentId: replyTo ?? null };
  const claimed = readSameKey({ message, prefix }).slice(0, MAX_SAME_KEY);
  const named = [...new Set([...refersTo(written), ...claimed])];
  const { stored, receipt, references } = await publish(context, {
    kind: 'post',
    limitScope: 'feed',
    caller,
    idempotencyKey,
    content,
    parentId: replyTo,
    // The target of a reply is looked up in any case.
    references:
      named.length > (replyTo === undefined ? 0 : 1) || claimed.length > 0 || prefix === 'REVIEW'
        ? { type: 'records', ids: named }
        : undefined,
    laterSteps:
      check === undefined || readUpTo === null
        ? undefined
        : { type: 'laterSteps', at: readUpTo, limit: MAX_LATER },
    checkLater: check,
    createRecord: (id, createdAt, target, others) => {
      // Thrown here, since a repeated call does not reach this point and succeeds.
      if (refused !== undefined) throw refused;
      const position =
        replyTo === undefined
          ? { parentId: null, rootId: id }
          : { parentId: replyTo, rootId: requireRootId(target, replyTo) };
      const mark = sign(position.rootId);
      const sameKeyAs = claimed.filter((one) => {
        const other = others?.get(one);
        return other !== undefined && other.status !== 'erased' && isOwn(other);
      });
      return derivePost({ id, message, name, mark, sameKeyAs, ...position, createdAt });
    },
  }).catch(async (error: unknown) => {
    if (!(error instanceof Changed)) throw error;
    refusalLimit.count(caller, 'ifUnchanged');
    throw await toChangedError(context, error, readUpTo ?? '');
  });
  const { fields, facts, board } = await readWorkFields(context, stored.record, references);
  const meanwhile = receipt.duplicate
    ? null
    : await readMeanwhile(context.store.read, stored.record, readUpTo, isOwn, {
        board,
        told: fields.alsoUnderWay ?? [],
      });
  return {
    stored,
    fields: {
      notice: NOTICE,
      ...receipt,
      warnings: postWarnings(stored.record, facts, context.now()),
      ...fields,
      meanwhile,
    },
  };
}

/** @returns the root of the thread that a reply joins. @throws WorkspaceError invalid_reply_target */
function requireRootId(target: FactOf<RecordLookup | undefined>, replyTo: string): string {
  if (target?.status !== 'visible' || target.rootId === null) {
    const form = replyTo.startsWith('post_') ? '' : ', and ids of posts begin with post_';
    throw new WorkspaceError(
      'invalid_reply_target',
      `replyTo does not name a visible post${form}; take the id from the feed, or leave replyTo out to ` +
        'begin a thread.',
    );
  }
  return target.rootId;
}
