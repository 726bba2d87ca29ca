import { lookOf } from '#message/look.ts';
import { comparableMark } from '#message/mark.ts';
import { MAX_REFERENCES, refersTo } from '#message/references.ts';
import { readStepFacts } from '#message/step.ts';
import type { FactOf, NameOwner, NameOwnerLookup, RecordLookup } from '#store/port/lookups.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import { type Board, othersUnderWay } from '#work/board.ts';
import { readResemblance, referencesOf, toSignature } from '#work/say.ts';
import { type Work, ideaWithParts } from '#work/thread.ts';
import { freeParts } from '#work/verdicts.ts';
import { dueTime, openWorksOf, statusOf } from '#work/works.ts';
import { mayChange } from '#work/writers.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { readHeads } from '#workspace/reading/heads.ts';
import { toUnderWay } from '#workspace/reading/under-way.ts';
import { type Own, Changed, createCheck, MAX_LATER, readMeanwhile, toChangedError } from './meanwhile.ts';
import { postWarnings, UNSIGNED, type Listed } from './post-warnings.ts';
import { publish, type Receipt } from './publish.ts';
import type { Message, PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { createSigner, formatAuthorKey, parseAuthorKey } from '#workspace/text/author-key.ts';
import { parsePrefix, derivePost } from '#workspace/text/prefix.ts';
import { floorToMicrosecond, timestampAt } from '#workspace/text/time.ts';
import { readKnown } from '#workspace/reading/views.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The longest list of the WORKs that a name has open in a thread. */
const MAX_OPEN = 5;
/** Of the IDEA that a message is about. */
const MAX_FREE_PARTS = 5;
/** With these prefixes and `readUpTo`, `ifUnchanged` is true by default. */
const CHECKED: readonly (string | null)[] = ['WORK', 'REVIEW'];
/** Receipts of messages with these prefixes have `alsoUnderWay`. */
const ANNOUNCED: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/** Stands beside a minted key in its receipt. */
const KEEP =
  'Send authorKey in your next post_message calls here, under any name: it ends, corrects and withdraws ' +
  'what you wrote. Never publish it.';

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
  const nameOwner: NameOwnerLookup | undefined =
    name === undefined || replyTo === undefined
      ? undefined
      : { type: 'nameOwner', postId: replyTo, look: lookOf(name) };
  const { refusalLimit } = context;
  const refused =
    (isChecked ? refusalLimit.reached(caller) : undefined) ??
    (nameOwner && refusalLimit.reached(caller, nameOwner.look));
  const check =
    isChecked && refused === undefined
      ? await createCheck(context, { message, parentId: replyTo ?? null }, own)
      : undefined;
  const { stored, receipt } = await publish(context, {
    kind: 'post',
    limitScope: 'feed',
    caller,
    idempotencyKey,
    content,
    parentId: replyTo,
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
    const isOfName = error instanceof WorkspaceError && error.failure.errors?.[0]?.path === 'name';
    if (isOfName && nameOwner !== undefined) refusalLimit.count(caller, nameOwner.look);
    if (!(error instanceof Changed)) throw error;
    refusalLimit.count(caller);
    throw await toChangedError(context, error, { after: readUpTo ?? '', except });
  });
  const { fields, facts, board } = await readWorkFields(context, stored, own);
  const meanwhile = receipt.duplicate
    ? null
    : await readMeanwhile(context.store.read, stored.record, readUpTo, own, board);
  const isMinted = !isSigned && !receipt.duplicate;
  return {
    stored,
    fields: {
      notice: NOTICE,
      ...(isMinted && { authorKey: formatAuthorKey(sign(stored.record.rootId).digits), keep: KEEP }),
      ...receipt,
      warnings: [...(isMinted ? [UNSIGNED] : []), ...postWarnings(stored.record, facts)],
      ...fields,
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

type WorkFields = Pick<z.infer<typeof PublishedMessage>, 'refersTo'> &
  Partial<
    Pick<
      z.infer<typeof PublishedMessage>,
      | 'mark'
      | 'namesakeOf'
      | 'resembles'
      | 'checks'
      | 'corrects'
      | 'dueAt'
      | 'freeParts'
      | 'alsoUnderWay'
      | 'ended'
      | 'openUnderYourName'
    >
  >;

/**
 * The fields of a receipt about the message and the lists of work, and the facts for its warnings.
 * @returns `board` undefined if the lists of work cannot be read
 */
async function readWorkFields(
  context: WorkspaceContext,
  stored: RecordView<'post'>,
  { hasMark }: Own,
): Promise<{ readonly fields: WorkFields; readonly facts: Listed; readonly board?: Board }> {
  const post = stored.record;
  const { id, prefix, createdAt, mark, name = null } = post;
  const referred = refersTo(post, Infinity);
  const named = referred.slice(0, MAX_REFERENCES);
  const facts = readStepFacts(post);
  const stated = {
    refersTo: named,
    ...(mark !== undefined && { mark: comparableMark(mark) }),
    ...(prefix === 'WORK' && { dueAt: timestampAt(dueTime({ due: facts?.due ?? null, createdAt }).at) }),
    ...(prefix === 'RESULT' && { corrects: [...(facts?.corrects ?? [])] }),
  };
  try {
    const { store, work, now } = context;
    const [related, board] = await Promise.all([readKnown(store.read, [stored]), work.board()]);
    const { refersTo: known, checks } = referencesOf(post, related);
    const author = board.authorOf(post);
    const { namesakeOf } = toSignature(author);
    const resembles = readResemblance(board, id);
    const ended = endedBy(board, post);
    const isAnnounced = ANNOUNCED.includes(prefix);
    const others = isAnnounced
      ? othersUnderWay(board, post, facts?.refersTo ?? [], now()).filter(({ step }) => !hasMark(step))
      : [];
    const thread = board.thread(post.rootId);
    const open = (thread === undefined ? [] : openWorksOf(thread, author, MAX_OPEN + 1)).filter(
      ({ step }) => step.id !== id,
    );
    const shown = open.slice(0, MAX_OPEN);
    const heads = await readHeads(
      store.read,
      [...others, ...shown].map(({ step }) => step.id),
    );
    const titleOf = ({ step }: Work): string => heads.get(step.id)?.title ?? '';
    const openUnderYourName = shown.map((one) => ({
      id: one.step.id,
      title: titleOf(one),
      dueAt: timestampAt(statusOf(one).due.at),
    }));
    const parts = readParts(board, post, now());
    const fields = {
      ...stated,
      ...(namesakeOf !== undefined && { namesakeOf }),
      refersTo: known,
      ...(resembles !== undefined && { resembles }),
      ...(checks !== undefined && { checks }),
      ...(parts !== undefined && { freeParts: parts.free.slice(0, MAX_FREE_PARTS) }),
      ...((facts !== null || name !== null) && { ended }),
      ...(shown.length > 0 && { openUnderYourName }),
      ...(isAnnounced && {
        alsoUnderWay: others.map((one) => ({ ...toUnderWay(board, one), title: titleOf(one) })),
      }),
    };
    const judged = board.results.get(checks?.[0] ?? '');
    const isElsewhere = judged !== undefined && judged.step.rootId !== post.rootId;
    return {
      fields,
      facts: {
        checks,
        isElsewhere,
        openUnderYourName,
        ended,
        resembles,
        referred: referred.length,
        unknown: named.filter((one) => !known.includes(one)),
        parts,
      },
      board,
    };
  } catch {
    // The post is published, whether or not this can be read.
    return { fields: stated, facts: { referred: referred.length } };
  }
}

/** @returns the ids of the WORKs and IDEAs that a message ends */
function endedBy(board: Board, post: Post): string[] {
  const facts = readStepFacts(post);
  if (facts === null) return [];
  const works = (board.thread(post.rootId)?.works ?? []).filter(
    (work) => statusOf(work).endedBy?.id === post.id,
  );
  const author = board.authorOf(post);
  const ideas = (facts.ends ?? []).flatMap((id) => board.ideas.get(id) ?? []);
  const ended = ideas.filter((idea) => idea.step.id !== post.id && mayChange(author, idea.author));
  return [...works, ...ended].map(({ step }) => step.id);
}

/**
 * @returns for a WORK or RESULT under an IDEA with parts, how many parts it takes, and the free ones; undefined
 *   for a WORK on RESULTs only, as before a review, that names no part
 */
function readParts(board: Board, post: Post, now: number): Listed['parts'] {
  const own = board.works.get(post.id) ?? board.results.get(post.id);
  if (own === undefined) return undefined;
  const named = readStepFacts(post)?.part?.length ?? 0;
  const about = 'takes' in own ? own.takes : [];
  if (named === 0 && about.length > 0 && about.every((id) => board.results.has(id))) return undefined;
  const idea = ideaWithParts(board, [...about, post.parentId ?? '', post.rootId]);
  if (idea === undefined) return undefined;
  return { taken: own.parts.length, named, free: freeParts(idea, now) };
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
