import { lookOf } from '#message/look.ts';
import { comparableMark } from '#message/mark.ts';
import { refersTo } from '#message/references.ts';
import type { FactOf, NameOwner, NameOwnerLookup, RecordLookup } from '#store/port/lookups.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import { viewOfOpener } from '#work/circle.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { type Own, Changed, createCheck, MAX_LATER, readMeanwhile, toChangedError } from './meanwhile.ts';
import { postWarnings, UNSIGNED } from './post-warnings.ts';
import { publish, type Receipt } from './publish.ts';
import { readWorkFields, type WorkFields } from './receipt.ts';
import type { Message, PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { createSigner, formatAuthorKey, parseAuthorKey } from '#workspace/text/author-key.ts';
import { parsePrefix, derivePost } from '#workspace/text/prefix.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** With these prefixes and `readUpTo`, `ifUnchanged` is true by default. */
const CHECKED: readonly (string | null)[] = ['WORK', 'REVIEW'];

/** Stands beside a minted key in its receipt. */
const KEEP =
  'Send authorKey with every message here: it ends, corrects and withdraws what you wrote. Never publish it.';

interface PublishedPost {
  readonly stored: RecordView<'post'>;
  /** What a receipt has besides the message. */
  readonly fields: Omit<Receipt<typeof PublishedMessage>, keyof z.infer<typeof Message>> & WorkFields;
}

/**
 * Publishes a post or a reply.
 * @throws WorkspaceError invalid_reply_target, thread_changed, invalid_request (a name of another key), and
 *   the codes of `publish`
 */
export async function publishPost(
  context: WorkspaceContext,
  input: PostRequest,
  caller: Caller,
): Promise<PublishedPost> {
  const { message, name, replyTo, except = [], idempotencyKey } = input;
  const readUpTo = input.readUpTo === undefined ? null : floorToMicrosecond(input.readUpTo);
  // Without a member for an absent name, so that a repeated call may leave it out or send null.
  const content = { message, replyTo, ...(name !== undefined && { name }) };
  const isChecked = readUpTo !== null && (input.ifUnchanged ?? CHECKED.includes(parsePrefix(message)));
  const sent = input.authorKey === undefined ? undefined : parseAuthorKey(input.authorKey);
  const sign = createSigner(sent !== undefined && 'digits' in sent ? sent.digits : undefined, () =>
    context.newAuthorKey(),
  );
  const isSigned = sent !== undefined;
  const own: Own = {
    except,
    hasMark: ({ rootId, mark }) =>
      isSigned && mark != null && comparableMark(mark) === comparableMark(sign(rootId).mark),
  };
  const nameOwner =
    name === undefined || replyTo === undefined ? undefined : await askForOwner(context, replyTo, name);
  const { refusalLimit } = context;
  const refused =
    (isChecked ? refusalLimit.reached(caller, 'ifUnchanged') : undefined) ??
    (nameOwner && (await refuseTakenName(context, name, nameOwner, sign, caller)));
  const check =
    isChecked && refused === undefined
      ? await createCheck(context, { message, parentId: replyTo ?? null }, own)
      : undefined;
  const written = { id: '', message, parentId: replyTo ?? null };
  const named = refersTo(written);
  const { stored, receipt, references } = await publish(context, {
    kind: 'post',
    limitScope: 'feed',
    caller,
    idempotencyKey,
    content,
    parentId: replyTo,
    // The target of a reply is looked up in any case.
    references:
      named.length > (replyTo === undefined ? 0 : 1) || parsePrefix(message) === 'REVIEW'
        ? { type: 'records', ids: named }
        : undefined,
    nameOwner,
    checkName: refuseOwnedName,
    laterSteps:
      check === undefined || readUpTo === null
        ? undefined
        : { type: 'laterSteps', at: readUpTo, limit: MAX_LATER + 1 },
    checkLater: check,
    createRecord: (id, createdAt, target) => {
      // Thrown here, since a repeated call does not reach this point and succeeds.
      if (refused !== undefined) throw refused;
      const position =
        replyTo === undefined
          ? { parentId: null, rootId: id }
          : { parentId: replyTo, rootId: requireRootId(target, replyTo) };
      const { mark } = sign(position.rootId);
      return derivePost({ id, message, name, mark, ...position, createdAt });
    },
  }).catch(async (error: unknown) => {
    const path = error instanceof WorkspaceError ? error.failure.errors?.[0]?.path : undefined;
    if (path === 'name' && nameOwner !== undefined) refusalLimit.count(caller, 'name');
    if (!(error instanceof Changed)) throw error;
    refusalLimit.count(caller, 'ifUnchanged');
    throw await toChangedError(context, error, { after: readUpTo ?? '', except });
  });
  const { fields, facts, board } = await readWorkFields(context, stored.record, references, own);
  const meanwhile = receipt.duplicate
    ? null
    : await readMeanwhile(context.store.read, stored.record, readUpTo, own, {
        board,
        told: fields.alsoUnderWay ?? [],
      });
  const isMinted = !isSigned && !receipt.duplicate;
  return {
    stored,
    fields: {
      notice: NOTICE,
      ...(isMinted && { authorKey: formatAuthorKey(sign(stored.record.rootId).digits), keep: KEEP }),
      ...receipt,
      warnings: [...(isMinted ? [UNSIGNED] : []), ...postWarnings(stored.record, facts, context.now())],
      ...fields,
      meanwhile,
    },
  };
}

/**
 * Asks which key of the circle signs a look of name in a thread. Between keys outside of it everybody may use a
 * name, and each message shows its mark.
 * @returns undefined if nobody is in the circle, or if the lists of work cannot be read
 */
async function askForOwner(
  { store, work }: WorkspaceContext,
  postId: string,
  name: string,
): Promise<NameOwnerLookup | undefined> {
  const known = work.known();
  // Another process may have written since this one last read.
  const isCurrent = known !== undefined && store.revision() !== undefined;
  const board = isCurrent ? known : await work.board().catch(() => undefined);
  const thread = board?.threadOf(postId);
  const marks = thread === undefined ? [] : Array.from(viewOfOpener(thread).circle, ({ mark }) => mark);
  return marks.length === 0 ? undefined : { type: 'nameOwner', postId, look: lookOf(name), marks };
}

/**
 * Looks whether a key of the circle has a name, once a network has had its refusals: a read costs less than a
 * write.
 * @returns the error if one has
 */
async function refuseTakenName(
  { work, refusalLimit }: WorkspaceContext,
  name: string | undefined,
  { postId, marks }: NameOwnerLookup,
  sign: ReturnType<typeof createSigner>,
  caller: Caller,
): Promise<WorkspaceError | undefined> {
  const reached = refusalLimit.reached(caller, 'name');
  if (reached === undefined) return undefined;
  const board = await work.board();
  const rootId = board.authorOfStep(postId)?.rootId ?? postId;
  const author = board.authorOf({
    id: '',
    rootId,
    createdAt: '',
    name: name ?? null,
    mark: sign(rootId).mark,
  });
  // As the store finds the owner of a name: the first of these keys that was sent with it.
  const signers = [...(author.look?.signers.keys() ?? [])];
  const owner = signers.find(({ mark }) => marks.includes(mark));
  return owner !== undefined && owner !== author.writer ? reached : undefined;
}

/** @throws WorkspaceError invalid_request if a key of the circle signs the look of the name */
function refuseOwnedName({ mark }: Post, owner: NameOwner): void {
  if (mark !== undefined && comparableMark(mark) === owner.mark) return;
  const message =
    `is signed by another key of the circle of this thread${owner.isVisible ? ` (${owner.id})` : ''}, or looks like such a ` +
    'name. If that is you, send its authorKey. If not, or if it is lost, choose another name and keep your ' +
    'present key';
  throw invalidRequestError([{ path: 'name', message }]);
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
