import { cutText } from '#message/code-points.ts';
import { lookOf } from '#message/look.ts';
import { comparableMark } from '#message/mark.ts';
import { MAX_REFERENCES, refersTo } from '#message/references.ts';
import { judgedPost, OUTCOMES, readStepFacts, readUnclearOutcome } from '#message/step.ts';
import type { FactOf, NameOwner, NameOwnerLookup, RecordLookup, RecordsLookup } from '#store/port/lookups.ts';
import type { Post, RecordView } from '#store/port/records.ts';
import type * as z from 'zod';
import { type Board, othersUnderWay } from '#work/board.ts';
import { viewOfOpener } from '#work/circle.ts';
import { readCount, readResemblance, referencesOf, toSignature } from '#work/say.ts';
import { type Work, ideaWithParts } from '#work/thread.ts';
import { freeParts } from '#work/parts.ts';
import { dueTime, openWorksOf, statusOf, type ShownWorks } from '#work/works.ts';
import { hasSecondName, isSameWriter, namesakeOf } from '#work/writers.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { readHeads, type Head } from '#workspace/reading/heads.ts';
import { toUnderWay } from '#workspace/reading/under-way.ts';
import { type Own, Changed, createCheck, MAX_LATER, readMeanwhile, toChangedError } from './meanwhile.ts';
import { postWarnings, UNSIGNED, type Listed } from './post-warnings.ts';
import { publish, type Receipt } from './publish.ts';
import type { Message, PostRequest, PublishedMessage } from '#workspace/schemas/post.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { createSigner, formatAuthorKey, parseAuthorKey } from '#workspace/text/author-key.ts';
import { parsePrefix, derivePost } from '#workspace/text/prefix.ts';
import { floorToMicrosecond, timestampAt } from '#workspace/text/time.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The longest list of the WORKs that a name has open in a thread. */
const MAX_OPEN = 5;
/** Code points of an unclear outcome that a refusal shows, without punctuation. */
const MAX_READ = 40;
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
 * @throws WorkspaceError invalid_reply_target, thread_changed, invalid_request (a name of another key, an
 *   unclear outcome), and the codes of `publish`
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
    (nameOwner && (await refuseTakenName(context, name, nameOwner, sign, caller))) ??
    (isSigned && input.asIs !== true ? refuseUnclearOutcome(context, message, caller) : undefined);
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
    if (path === 'message' && error === refused) refusalLimit.count(caller, 'outcome');
    if (!(error instanceof Changed)) throw error;
    refusalLimit.count(caller, 'ifUnchanged');
    throw await toChangedError(context, error, { after: readUpTo ?? '', except });
  });
  const { fields, facts, board } = await readWorkFields(context, stored.record, references, own);
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
  { work }: WorkspaceContext,
  postId: string,
  name: string,
): Promise<NameOwnerLookup | undefined> {
  const board = work.known() ?? (await work.board().catch(() => undefined));
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
  const { mark } = namesakeOf(author) ?? {};
  return mark !== undefined && marks.includes(comparableMark(mark)) ? reached : undefined;
}

/** @returns the error of a REVIEW whose line "Outcome:" would count nothing */
function refuseUnclearOutcome(
  { refusalLimit }: WorkspaceContext,
  message: string,
  caller: Caller,
): WorkspaceError | undefined {
  const unclear = parsePrefix(message) === 'REVIEW' ? readUnclearOutcome(message) : null;
  if (unclear === null) return undefined;
  const words = cutText(unclear.replaceAll(/[^\p{L}\p{N}\p{M}:/]+/gu, ' ').trim(), MAX_READ);
  const fault =
    `has a line "Outcome" that is read as "${words}" and would count nothing: after its colon write only one ` +
    `of ${OUTCOMES.join(', ')}, or send asIs: true`;
  return (
    refusalLimit.reached(caller, 'outcome') ?? invalidRequestError([{ path: 'message', message: fault }])
  );
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

type WorkFields = Pick<z.infer<typeof PublishedMessage>, 'refersTo'> &
  Partial<
    Pick<
      z.infer<typeof PublishedMessage>,
      | 'mark'
      | 'namesakeOf'
      | 'resembles'
      | 'checks'
      | 'counts'
      | 'corrects'
      | 'dueAt'
      | 'freeParts'
      | 'alsoUnderWay'
      | 'moreUnderWay'
      | 'ended'
      | 'openUnderYourName'
    >
  >;

interface Described {
  readonly fields: WorkFields;
  /** For its warnings. */
  readonly facts: Listed;
}

/**
 * The fields of a receipt about the message and the lists of work.
 * @param references the records that its text names; undefined if it names none
 * @returns `board` undefined if the lists of work cannot be read
 */
async function readWorkFields(
  context: WorkspaceContext,
  post: Post,
  references: FactOf<RecordsLookup | undefined>,
  { hasMark }: Own,
): Promise<Described & { readonly board?: Board }> {
  try {
    const { store, work, now } = context;
    const board = work.known() ?? (await work.board());
    const at = now();
    const others = ANNOUNCED.includes(post.prefix)
      ? othersUnderWay(board, post, aboutOf(board, post), at, hasMark)
      : { shown: [], more: 0 };
    const thread = board.thread(post.rootId);
    const open = (thread === undefined ? [] : openWorksOf(thread, board.authorOf(post), MAX_OPEN + 1))
      .filter(({ step }) => step.id !== post.id)
      .slice(0, MAX_OPEN);
    const named = [...others.shown, ...open].map(({ step }) => step.id);
    const heads = named.length === 0 ? new Map<string, Head>() : await readHeads(store.read, named);
    return { ...receiptOf(board, post, references ?? new Map(), { others, open, heads, now: at }), board };
  } catch {
    // The post is published, whether or not this can be read.
    const fields = { ...statedFields(post), refersTo: refersTo(post) };
    return { fields, facts: { referred: refersTo(post, Infinity).length } };
  }
}

/** What a RESULT refers to, and the RESULT that a REVIEW judges. */
function aboutOf(board: Board, post: Post): readonly string[] {
  const facts = readStepFacts(post);
  if (post.prefix !== 'REVIEW') return facts?.refersTo ?? [];
  const { parentId } = post;
  return [
    judgedPost({ checked: facts?.checked ?? null, parentId }, (id) => board.results.has(id)) ?? [],
  ].flat();
}

/** What a receipt says by the text of a message alone. */
function statedFields(post: Post): Omit<WorkFields, 'refersTo'> {
  const { prefix, createdAt, mark } = post;
  const facts = readStepFacts(post);
  return {
    ...(mark !== undefined && { mark: comparableMark(mark) }),
    ...(prefix === 'WORK' && { dueAt: timestampAt(dueTime({ due: facts?.due ?? null, createdAt }).at) }),
    ...(prefix === 'RESULT' && { corrects: [...(facts?.corrects ?? [])] }),
  };
}

/** @param named WORKs that the receipt names, and their heads */
function receiptOf(
  board: Board,
  post: Post,
  references: FactOf<RecordsLookup>,
  named: {
    readonly others: ShownWorks;
    readonly open: readonly Work[];
    readonly heads: ReadonlyMap<string, Head>;
    readonly now: number;
  },
): Described {
  const { id, prefix, name = null } = post;
  const { others, open, heads, now } = named;
  const facts = readStepFacts(post);
  const said = refersTo(post, Infinity);
  const first = said.slice(0, MAX_REFERENCES);
  const visible = new Map(
    [...references].flatMap(([one, record]) => (record.status === 'visible' ? [[one, record]] : [])),
  );
  const { refersTo: known, checks } = referencesOf(post, { known: references, heads: visible });
  const resembles = readResemblance(board, id);
  const ended = endedBy(board, post);
  const parts = readParts(board, post, now);
  const author = board.authorOf(post);
  const { namesakeOf } = toSignature(board, author);
  const titleOf = ({ step }: Work): string => heads.get(step.id)?.title ?? '';
  const openUnderYourName = open.map((one) => ({
    id: one.step.id,
    title: titleOf(one),
    dueAt: timestampAt(statusOf(one).due.at),
  }));
  const result = board.results.get(checks?.[0] ?? '');
  const counts = checks && (readCount(board, id, checks).counts ?? null);
  return {
    fields: {
      refersTo: known,
      ...statedFields(post),
      ...(namesakeOf !== undefined && { namesakeOf }),
      ...(resembles !== undefined && { resembles }),
      ...(checks !== undefined && { checks }),
      ...(counts !== undefined && { counts }),
      ...(parts !== undefined && { freeParts: parts.free.slice(0, MAX_FREE_PARTS) }),
      ...((facts !== null || name !== null) && { ended }),
      ...(open.length > 0 && { openUnderYourName }),
      ...(ANNOUNCED.includes(prefix) && {
        alsoUnderWay: others.shown.map((one) => ({ ...toUnderWay(board, one), title: titleOf(one) })),
      }),
      ...(others.more > 0 && { moreUnderWay: others.more }),
    },
    facts: {
      checks,
      counts,
      isElsewhere: result !== undefined && result.step.rootId !== post.rootId,
      isOwn: result !== undefined && isSameWriter(author, result.author),
      hasSecondName: hasSecondName(author),
      openUnderYourName,
      ended,
      resembles,
      referred: said.length,
      unknown: first.filter((one) => !known.includes(one)),
      parts,
    },
  };
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
  const ended = ideas.filter((idea) => idea.step.id !== post.id && isSameWriter(author, idea.author));
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
