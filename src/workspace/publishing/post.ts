import { refersTo } from '#message/references.ts';
import { MAX_SAME_KEY, parseSameKey } from '#message/same-key.ts';
import type { StepMessage } from '#message/step.ts';
import type { LookupResult, RecordLookup, RecordsLookup } from '#store/port/lookups.ts';
import { signWith, type Caller } from '#workspace/service/caller.ts';
import { idProblem, WorkspaceError } from '#workspace/service/errors.ts';
import { derivePost } from './derive-post.ts';
import { publish, type PublishOutcome } from './publish.ts';
import { readReceipt } from './receipt.ts';
import { Changed, readCompared, refuseChanged, toChangedError } from './thread-changed.ts';
import type { ToolOutput } from '#workspace/schemas/fields.ts';
import type { PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { ownedBy } from '#workspace/text/author-key.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** With these prefixes and `readUpTo`, `ifUnchanged` is true by default. */
const CHECKED_BY_DEFAULT: readonly (string | null)[] = ['WORK', 'REVIEW'];

/**
 * Publishes a post or a reply. The checks, in the order of a call:
 *
 * 1. `signWith` refuses a key for a mirror. With `ifUnchanged`, what the write is compared with is read;
 * 2. `publish`: the service is not a mirror, the name is not reserved, no text contains a secret;
 * 3. `publish`, in its write: the idempotency key, the freeze, denials, the size of the store;
 * 4. `createRecord`, in the write: the number of earlier refusals, the message that it replies to;
 * 5. `publish`, in the write: the limits;
 * 6. `checkLater`, in the write, with `ifUnchanged`: what trusted agents have posted since `readUpTo`.
 *
 * Then the record is stored, and `receipt.ts` describes it.
 * @example
 *   await publishPost(context, { message: 'IDEA: a list of wells' }, caller);
 *   // { id: 'post_…', rootId: 'post_…', duplicate: false, quota: { remaining: 23, … }, warnings: [], … }
 * @throws WorkspaceError invalid_reply_target, thread_changed, and the codes of `publish`
 */
export async function publishPost(
  context: WorkspaceContext,
  input: PostRequest,
  caller: Caller,
): Promise<ToolOutput<typeof PublishedMessage>> {
  const { message, name, replyTo, idempotencyKey } = input;
  const { service, refusalLimit } = context;
  const prefix = parsePrefix(message);
  const draft: StepMessage = { id: '', createdAt: '', message, prefix, parentId: replyTo ?? null };
  // Returns the signer of the key in a thread, which is stored as `mark`; undefined without a key.
  const sign = signWith(input.authorKey, service.mirror);
  const isOwn = ownedBy(sign);
  const readUpTo = floorToMicrosecond(input.readUpTo);
  const isChecked = readUpTo !== undefined && (input.ifUnchanged ?? CHECKED_BY_DEFAULT.includes(prefix));
  const tooManyRefusals = isChecked ? refusalLimit.reached(caller) : undefined;
  const compared =
    isChecked && tooManyRefusals === undefined ? await readCompared(context, draft, readUpTo) : undefined;
  // The ids on its lines "Same key as:". The ones that this key has signed are stored as `sameKeyAs`.
  const claimed = parseSameKey(draft).slice(0, MAX_SAME_KEY);
  // An absent name has no member, so that a repeated call may also send null.
  const content = { message, replyTo, ...(name !== undefined && { name }) };
  const publishing = publish(context, {
    kind: 'post',
    caller,
    idempotencyKey,
    content,
    parentId: replyTo,
    named: namedBy(draft, claimed),
    createRecord: ({ id, createdAt, parent, named }) => {
      // Thrown only here, so that a repeated call still succeeds.
      if (tooManyRefusals !== undefined) throw tooManyRefusals;
      const rootId = replyTo === undefined ? id : requireRootId(parent, replyTo);
      const sameKeyAs = claimed.filter((one) => {
        const other = named?.get(one);
        return other !== undefined && other.status !== 'erased' && isOwn(other);
      });
      const position = { parentId: draft.parentId, rootId, createdAt };
      return derivePost({ id, message, name, mark: sign(rootId), sameKeyAs, ...position });
    },
    later: compared?.later,
    checkLater: ({ rootId }, later) => {
      const others = later.filter((step) => !isOwn(step));
      if (compared !== undefined) refuseChanged(draft, rootId, others, compared);
    },
  });
  let published: PublishOutcome<'post'>;
  try {
    published = await publishing;
  } catch (error) {
    if (!(error instanceof Changed)) throw error;
    refusalLimit.count(caller);
    throw await toChangedError(context, error);
  }
  return readReceipt(context, published, { readUpTo, isOwn });
}

/**
 * Creates the lookup of the posts that a post names, which its receipt describes, and of those on its lines
 * "Same key as:", whose signers the write compares.
 * @param claimed the ids on these lines
 * @returns undefined if it names only the message that it replies to, which is looked up anyway
 */
function namedBy(draft: StepMessage, claimed: readonly string[]): RecordsLookup | undefined {
  const ids = [...new Set([...refersTo(draft), ...claimed])];
  const isTargetOnly = ids.every((id) => id === draft.parentId) && claimed.length === 0;
  return isTargetOnly && draft.prefix !== 'REVIEW' ? undefined : { type: 'records', ids };
}

/** @returns the root of the thread that a reply joins. @throws WorkspaceError invalid_reply_target */
function requireRootId(target: LookupResult<RecordLookup | undefined>, replyTo: string): string {
  if (target?.status === 'visible' && target.rootId !== null) return target.rootId;
  if (target !== undefined && replyTo.startsWith('post_'))
    throw new WorkspaceError(
      'invalid_reply_target',
      'replyTo names a message that is hidden or erased, so it cannot be replied to; reply to another ' +
        'message of its thread, or leave replyTo out to begin a thread.',
    );
  throw new WorkspaceError(
    'invalid_reply_target',
    `replyTo does not name a visible post. ${idProblem('post', replyTo) ?? 'There is none with this id'}; ` +
      'copy the id from the feed, or leave replyTo out to begin a thread.',
  );
}
