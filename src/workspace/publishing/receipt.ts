import { toSigner } from '#message/signer.ts';
import { MAX_REFERENCES, refersTo } from '#message/references.ts';
import { hasTrustLine, judgedPost, misspellsTrust, readStepFacts, type StepFacts } from '#message/step.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
import { type Board, othersUnderWay } from '#work/board.ts';
import { changesBy, viewOfOpener } from '#work/trusted.ts';
import { readCopyOf, readCount, referencesOf, toSignature } from '#work/say.ts';
import { ideaWithParts, type Result, type Work } from '#work/thread.ts';
import { freeParts, isOver, partsFor } from '#work/parts.ts';
import { openWorksOf, statusOf } from '#work/works.ts';
import { flawsOf, type Flaw } from '#work/verdicts.ts';
import { hasSecondName, isSameWriter, type Author } from '#work/writers.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { readHeads, type Head } from '#workspace/reading/heads.ts';
import { toMessage } from '#workspace/reading/message.ts';
import { jsonBytes } from '#workspace/reading/page.ts';
import { toUnderWay } from '#workspace/reading/under-way.ts';
import type { PublishedMessage } from '#workspace/schemas/post.ts';
import type { IsOwn } from '#workspace/text/author-key.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { readMeanwhile } from './meanwhile.ts';
import { postWarnings, type Listed, type PartFlaw } from './post-warnings.ts';
import type { Published, Receipt } from './publish.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The longest list of the WORKs that a name has open in a thread. */
const MAX_OPEN = 5;
/** Of the IDEA that a message is about. */
const MAX_FREE_PARTS = 5;
/** Receipts of messages with these prefixes have `alsoUnderWay`. */
const ANNOUNCED: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];
/** JSON bytes of the receipt of a REVIEW. */
const MAX_REVIEW_BYTES = 1500;

type PostReceipt = Receipt<typeof PublishedMessage>;

/** The fields that follow from the text and the lists of work. */
type WorkFields = Pick<
  PostReceipt,
  | 'refersTo'
  | 'signer'
  | 'sameKeyAs'
  | 'namesakeOf'
  | 'copyOf'
  | 'checks'
  | 'counts'
  | 'trust'
  | 'corrects'
  | 'dueAt'
  | 'parts'
  | 'freeParts'
  | 'alsoUnderWay'
  | 'ended'
  | 'openUnderYourName'
>;

/** What the text of a post says. */
interface Stated {
  readonly post: Post;
  readonly facts: StepFacts | null;
}

/** A published post beside the lists of work, which have it by now. */
interface Posted extends Stated {
  readonly board: Board;
  readonly author: Author;
  /** The message itself, if it is a WORK. */
  readonly work: Work | undefined;
  readonly refersTo: string[];
  /** The RESULT that a REVIEW judges: an id or none, and what the board has of it. */
  readonly checks: string[] | undefined;
  readonly result: Result | undefined;
  readonly trust: Listed['trust'];
  readonly parts: { parts?: readonly string[] | undefined; free?: string[]; partFlaw?: PartFlaw | undefined };
  readonly ended: string[];
  /** WORKs of others on the same thing. */
  readonly others: readonly Work[];
  /** Open WORKs of its writer in the thread. */
  readonly open: readonly Work[];
  /** Of both. */
  readonly heads: ReadonlyMap<string, Head>;
}

/** How each field follows from a source; one that is undefined is left out. */
type Fields<Source> = {
  readonly [Name in keyof WorkFields]: (source: Source) => WorkFields[Name] | undefined;
};

const STATED = {
  signer: ({ post: { mark } }) => (mark === undefined ? undefined : toSigner(mark)),
  sameKeyAs: ({ post: { sameKeyAs } }) => sameKeyAs && [...sameKeyAs],
  corrects: ({ post, facts }) => (post.prefix === 'RESULT' ? [...(facts?.corrects ?? [])] : undefined),
} satisfies Partial<Fields<Stated>>;

const FIELDS = {
  ...STATED,
  refersTo: (posted) => posted.refersTo,
  namesakeOf: ({ board, author }) => toSignature(board, author).namesakeOf,
  copyOf: ({ board, post }) => readCopyOf(board, post.id),
  checks: ({ checks }) => checks,
  counts: ({ board, post, checks }) => checks && (readCount(board, post.id, checks).counts ?? null),
  trust: ({ trust }) =>
    trust === undefined ? undefined : (trust?.map(({ isIdle: _, ...change }) => change) ?? []),
  dueAt: ({ work }) => work && timestampAt(statusOf(work).due.at),
  parts: ({ parts: { parts } }) => parts && [...parts],
  freeParts: ({ parts: { free } }) => free?.slice(0, MAX_FREE_PARTS),
  alsoUnderWay: ({ post, board, others, heads }) =>
    ANNOUNCED.includes(post.prefix)
      ? others.map((work) => ({ ...toUnderWay(board, work), title: titleIn(heads, work) }))
      : undefined,
  ended: ({ post, facts, ended }) => (facts === null && post.name === undefined ? undefined : ended),
  openUnderYourName: ({ open, heads }) =>
    open.length === 0
      ? undefined
      : open.map((work) => ({
          id: work.step.id,
          title: titleIn(heads, work),
          dueAt: timestampAt(statusOf(work).due.at),
        })),
} satisfies Required<Fields<Posted>>;

function toFields<Source>(fields: Readonly<Record<string, (of: Source) => unknown>>, source: Source) {
  const entries = Object.entries(fields).map(([name, read]) => [name, read(source)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const titleIn = (heads: Posted['heads'], { step }: Work): string => heads.get(step.id)?.title ?? '';

/**
 * Reads the receipt of a post. The post is published, so what cannot be read is left out.
 * @param readUpTo null without it
 * @example
 *   await readReceipt(context, published, { readUpTo: null, isOwn });
 *   // of a WORK: { id, refersTo: ['post_…'], dueAt, alsoUnderWay: [], ended: [], warnings: [], meanwhile, … }
 */
export async function readReceipt(
  context: WorkspaceContext,
  { stored, named, receipt }: Published<'post'>,
  { readUpTo, isOwn }: { readonly readUpTo: Timestamp | null; readonly isOwn: IsOwn },
): Promise<PostReceipt> {
  const { store, service, now } = context;
  const post = stored.record;
  const { board, fields, listed } = await readWork(context, post, named ?? new Map());
  const inReceipt = new Set(fields.alsoUnderWay?.map(({ id }) => id));
  const meanwhile =
    receipt.duplicate || board === undefined
      ? null
      : await readMeanwhile(store.read, post, { board, after: readUpTo, isOwn, listed: inReceipt });
  const whole = toMessage(service, stored, {
    notice: NOTICE,
    ...receipt,
    warnings: postWarnings(post, listed, now()),
    ...fields,
    meanwhile,
  });
  if (post.prefix !== 'REVIEW') return whole;
  const { message: _, ...shown } = whole;
  return Object.assign(shown, fitReview(shown));
}

/** @returns the text alone, without a board, if the lists of work cannot be read */
async function readWork(
  context: WorkspaceContext,
  post: Post,
  named: NonNullable<Published<'post'>['named']>,
): Promise<{ readonly board?: Board; readonly fields: WorkFields; readonly listed: Listed }> {
  try {
    const posted = await readPosted(context, post, named);
    return { board: posted.board, fields: toFields(FIELDS, posted) as WorkFields, listed: toListed(posted) };
  } catch {
    const fields = { refersTo: refersTo(post), ...toFields(STATED, { post, facts: readStepFacts(post) }) };
    return { fields, listed: { referred: refersTo(post, Infinity).length } };
  }
}

/** @param named the records that its text names @throws StoreFailure */
async function readPosted(
  { store, work: workReader, now }: WorkspaceContext,
  post: Post,
  named: NonNullable<Published<'post'>['named']>,
): Promise<Posted> {
  const board = workReader.known() ?? (await workReader.board());
  const at = now();
  const facts = readStepFacts(post);
  const author = board.authorOf(post);
  const thread = board.thread(post.rootId);
  const others = ANNOUNCED.includes(post.prefix)
    ? othersUnderWay(board, post, judgedIn(board, post, facts), at)
    : [];
  const open = (thread === undefined ? [] : openWorksOf(thread, author, MAX_OPEN + 1))
    .filter(({ step }) => step.id !== post.id)
    .slice(0, MAX_OPEN);
  const works = [...others, ...open].map(({ step }) => step.id);
  const visible = new Map(
    [...named].flatMap(([id, record]) => (record.status === 'visible' ? [[id, record]] : [])),
  );
  const references = referencesOf(post, { known: named, heads: visible });
  return {
    post,
    facts,
    board,
    author,
    work: board.works.get(post.id),
    checks: undefined,
    ...references,
    result: board.results.get(references.checks?.[0] ?? ''),
    trust: readTrustChanges(board, post),
    parts: readParts(board, post, author, at),
    ended: endedIds(board, post),
    others,
    open,
    heads: works.length === 0 ? new Map<string, Head>() : await readHeads(store.read, works),
  };
}

/** @returns the RESULT that a REVIEW judges; empty if it judges none that the board knows */
function judgedIn(board: Board, { parentId }: Post, facts: StepFacts | null): string {
  return judgedPost({ checked: facts?.checked ?? null, parentId }, (id) => board.results.has(id)) ?? '';
}

const isElsewhere = (board: Board, id: string, { rootId }: Post): boolean =>
  (board.authorOfStep(id)?.rootId ?? rootId) !== rootId;

/** What the warnings of a receipt follow from. */
function toListed(posted: Posted): Listed {
  const { post, board, author, facts, work, result, checks, open } = posted;
  const named = refersTo(post, Infinity);
  return {
    referred: named.length,
    checks,
    flaws: checks?.[0] === undefined ? [] : flawsIn(result, { id: post.id, facts, author }),
    trust: posted.trust,
    misspellsTrust: misspellsTrust(
      post,
      author.signer === undefined || author.signer !== board.thread(post.rootId)?.opener,
    ),
    letIn: result && signerLetIn(result, post),
    isOver: work !== undefined && isOver(work),
    takesElsewhere: work?.step.takes.some((id) => isElsewhere(board, id, post)) === true,
    dueAt: FIELDS.dueAt(posted),
    hasSecondName: hasSecondName(author),
    open: open.map(({ step, takes }) => ({ id: step.id, takes })),
    ended: posted.ended,
    copyOf: FIELDS.copyOf(posted),
    unknown: named.slice(0, MAX_REFERENCES).filter((id) => !posted.refersTo.includes(id)),
    partFlaw: posted.parts.partFlaw,
  };
}

/** @param result that a REVIEW judges; undefined if it is older than the newest steps */
function flawsIn(
  result: Result | undefined,
  { id, facts, author }: { readonly id: string; readonly facts: StepFacts | null; readonly author: Author },
): Flaw[] {
  if (result === undefined || facts === null) return ['not judged'];
  return flawsOf(result, { step: { ...facts, id }, author });
}

/** @returns undefined of a message without a line "Trust:" or "Distrust:" */
function readTrustChanges(board: Board, post: Post): Listed['trust'] {
  const thread = board.thread(post.rootId);
  if (thread === undefined || !hasTrustLine(post.message, post.prefix)) return undefined;
  return changesBy(board.authorOf(post), thread, readStepFacts(post)?.trust);
}

/** @returns the writer of a RESULT if a REVIEW of it is what lets that writer in */
function signerLetIn(
  { author: { writer }, thread }: Result,
  { createdAt, prefix }: Post,
): string | undefined {
  if (writer === null || prefix !== 'REVIEW') return undefined;
  return viewOfOpener(thread).trusted.get(writer) === createdAt ? writer.signer : undefined;
}

/** @returns the ids of the WORKs and IDEAs that a message ends */
function endedIds(board: Board, post: Post): string[] {
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
 * Reads all parts of the IDEA that a message divides, or of which its line "Part:" names none, and the free ones
 * of that which a WORK or RESULT is about, but for a WORK that names no part and takes RESULTs.
 */
function readParts(board: Board, post: Post, author: Author, now: number): Posted['parts'] {
  const { parts: given, part: { length: named } = [] } = readStepFacts(post) ?? {};
  const divided = given && (board.ideas.get(post.id) ?? board.thread(post.rootId)?.dividedBy(author));
  const isVain = given !== undefined && divided === undefined;
  const own = board.works.get(post.id) ?? board.results.get(post.id);
  const about = own !== undefined && 'takes' in own ? own.takes : [];
  const idea = own && ideaWithParts(board, [...about, post.parentId ?? '', post.rootId]);
  const isOnResults = named === 0 && about.length > 0 && about.every((id) => board.results.has(id));
  if (own === undefined || idea === undefined || isOnResults)
    return { parts: divided?.parts, partFlaw: isVain ? 'adds nothing' : undefined };
  const free = freeParts(idea, now);
  const fitsNone = own.parts.length < named;
  const takesNone = named === 0 && free.length > 0 && ('takes' in own || partsFor(own).length === 0);
  const flaw = isVain ? 'adds nothing' : fitsNone ? 'fits none' : takesNone ? 'takes none' : undefined;
  return { parts: fitsNone ? idea.parts : divided?.parts, free, partFlaw: flaw };
}

type Fitted = WorkFields & Pick<PostReceipt, 'meanwhile'>;

/**
 * Leaves out the last rows of the receipt of a REVIEW that do not fit.
 * @param shown the receipt, without the text of the message
 * @returns its lists; `nextAfter` leads to what is left out of `meanwhile`
 */
export function fitReview(shown: Fitted): Fitted {
  const { alsoUnderWay = [], openUnderYourName = [], meanwhile, trust = [], parts = [] } = shown;
  const empty = {
    ...shown,
    refersTo: [],
    ...(shown.trust && { trust: [] }),
    ...(shown.parts && { parts: [] }),
    alsoUnderWay: [],
    openUnderYourName: [],
    meanwhile: meanwhile && { ...meanwhile, inThread: [], elsewhere: [], more: true },
  };
  let left = MAX_REVIEW_BYTES - jsonBytes(empty);
  const take = <Row>(rows: readonly Row[]): Row[] => rows.filter((row) => (left -= jsonBytes(row) + 1) >= 0);
  const [changes, listed] = [take(trust), take(parts)];
  const [references, works, open] = [take(shown.refersTo), take(alsoUnderWay), take(openUnderYourName)];
  const [inThread, elsewhere] = [take(meanwhile?.inThread ?? []), take(meanwhile?.elsewhere ?? [])];
  return {
    refersTo: references,
    ...(shown.trust && { trust: changes }),
    ...(shown.parts && { parts: listed }),
    ...(shown.alsoUnderWay && { alsoUnderWay: works }),
    ...(shown.openUnderYourName && { openUnderYourName: open }),
    meanwhile: meanwhile && { ...meanwhile, inThread, elsewhere, ...(left < 0 && { more: true }) },
  };
}
