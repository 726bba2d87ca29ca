import { toSigner } from '#message/signer.ts';
import { MAX_REFERENCES, refersTo } from '#message/references.ts';
import { hasTrustLine, judgedPost, misspellsTrust, readStepFacts, type StepFacts } from '#message/step.ts';
import type { FactOf, RecordsLookup } from '#store/port/lookups.ts';
import type { Post } from '#store/port/records.ts';
import type * as z from 'zod';
import { type Board, othersUnderWay } from '#work/board.ts';
import { changesBy, viewOfOpener } from '#work/trusted.ts';
import { readCopyOf, readCount, referencesOf, toSignature } from '#work/say.ts';
import { ideaWithParts, type Result, type Work } from '#work/thread.ts';
import { freeParts, isOver, partsFor } from '#work/parts.ts';
import { openWorksOf, statusOf } from '#work/works.ts';
import { flawsOf, type Flaw } from '#work/verdicts.ts';
import { hasSecondName, isSameWriter, type Author } from '#work/writers.ts';
import { readHeads, type Head } from '#workspace/reading/heads.ts';
import { jsonBytes } from '#workspace/reading/page.ts';
import { toUnderWay } from '#workspace/reading/under-way.ts';
import type { PublishedMessage } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';
import type { Listed, PartFlaw } from './post-warnings.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The longest list of the WORKs that a name has open in a thread. */
const MAX_OPEN = 5;
/** Of the IDEA that a message is about. */
const MAX_FREE_PARTS = 5;
/** Receipts of messages with these prefixes have `alsoUnderWay`. */
const ANNOUNCED: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];
/** JSON bytes of the receipt of a REVIEW. */
const MAX_REVIEW_BYTES = 1500;

export type WorkFields = Pick<z.infer<typeof PublishedMessage>, 'refersTo'> &
  Partial<
    Pick<
      z.infer<typeof PublishedMessage>,
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
export async function readWorkFields(
  context: WorkspaceContext,
  post: Post,
  references: FactOf<RecordsLookup | undefined>,
): Promise<Described & { readonly board?: Board }> {
  try {
    const { store, work, now } = context;
    const board = work.known() ?? (await work.board());
    const at = now();
    const others = ANNOUNCED.includes(post.prefix)
      ? othersUnderWay(board, post, judgedIn(board, post), at)
      : [];
    const thread = board.thread(post.rootId);
    const open = (thread === undefined ? [] : openWorksOf(thread, board.authorOf(post), MAX_OPEN + 1))
      .filter(({ step }) => step.id !== post.id)
      .slice(0, MAX_OPEN);
    const named = [...others, ...open].map(({ step }) => step.id);
    const heads = named.length === 0 ? new Map<string, Head>() : await readHeads(store.read, named);
    return { ...receiptOf(board, post, references ?? new Map(), { others, open, heads, now: at }), board };
  } catch {
    // The post is published, whether or not this can be read.
    const fields = { ...statedFields(post), refersTo: refersTo(post) };
    return { fields, facts: { referred: refersTo(post, Infinity).length } };
  }
}

const isElsewhere = (board: Board, id: string, { rootId }: Post): boolean =>
  (board.authorOfStep(id)?.rootId ?? rootId) !== rootId;

/** @returns the RESULT that a REVIEW judges; empty if it judges none that the board knows */
const judgedIn = (board: Board, post: Post): string =>
  judgedPost({ checked: readStepFacts(post)?.checked ?? null, parentId: post.parentId }, (id) =>
    board.results.has(id),
  ) ?? '';

/** What a receipt says by the text of a message alone. */
function statedFields(post: Post): Omit<WorkFields, 'refersTo'> {
  const { prefix, mark, sameKeyAs } = post;
  const { corrects = [] } = readStepFacts(post) ?? {};
  return {
    ...(mark !== undefined && { signer: toSigner(mark) }),
    ...(sameKeyAs !== undefined && { sameKeyAs: [...sameKeyAs] }),
    ...(prefix === 'RESULT' && { corrects: [...corrects] }),
  };
}

/** @param named WORKs that the receipt names, and their heads */
function receiptOf(
  board: Board,
  post: Post,
  references: FactOf<RecordsLookup>,
  named: {
    readonly others: readonly Work[];
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
  const copyOf = readCopyOf(board, id);
  const ended = endedIds(board, post);
  const author = board.authorOf(post);
  const { parts, free, partFlaw } = readParts(board, post, author, now);
  const { namesakeOf } = toSignature(board, author);
  const titleOf = ({ step }: Work): string => heads.get(step.id)?.title ?? '';
  const openUnderYourName = open.map((one) => ({
    id: one.step.id,
    title: titleOf(one),
    dueAt: timestampAt(statusOf(one).due.at),
  }));
  const trust = readTrustChanges(board, post);
  const work = board.works.get(id);
  const dueAt = work === undefined ? undefined : timestampAt(statusOf(work).due.at);
  const result = board.results.get(checks?.[0] ?? '');
  const counts = checks && (readCount(board, id, checks).counts ?? null);
  return {
    fields: {
      refersTo: known,
      ...statedFields(post),
      ...(dueAt !== undefined && { dueAt }),
      ...(namesakeOf !== undefined && { namesakeOf }),
      ...(copyOf !== undefined && { copyOf }),
      ...(checks !== undefined && { checks }),
      ...(counts !== undefined && { counts }),
      ...(trust !== undefined && { trust: trust?.map(({ isIdle: _, ...change }) => change) ?? [] }),
      ...(parts !== undefined && { parts: [...parts] }),
      ...(free !== undefined && { freeParts: free.slice(0, MAX_FREE_PARTS) }),
      ...((facts !== null || name !== null) && { ended }),
      ...(open.length > 0 && { openUnderYourName }),
      ...(ANNOUNCED.includes(prefix) && {
        alsoUnderWay: others.map((one) => ({ ...toUnderWay(board, one), title: titleOf(one) })),
      }),
    },
    facts: {
      checks,
      flaws: checks?.[0] === undefined ? [] : flawsIn(result, { id, facts, author }),
      trust,
      misspellsTrust: misspellsTrust(
        post,
        author.signer === undefined || author.signer !== board.thread(post.rootId)?.opener,
      ),
      letIn: result && signerLetIn(result, post),
      isOver: work !== undefined && isOver(work),
      takesElsewhere: work?.step.takes.some((one) => isElsewhere(board, one, post)) === true,
      dueAt,
      hasSecondName: hasSecondName(author),
      open: open.map(({ step, takes }) => ({ id: step.id, takes })),
      ended,
      copyOf,
      referred: said.length,
      unknown: first.filter((one) => !known.includes(one)),
      partFlaw,
    },
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
function readParts(
  board: Board,
  post: Post,
  author: Author,
  now: number,
): { parts?: readonly string[] | undefined; free?: string[]; partFlaw?: PartFlaw | undefined } {
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

type Told = WorkFields & Pick<z.infer<typeof PublishedMessage>, 'meanwhile'>;

/**
 * Leaves out the last rows of the receipt of a REVIEW that do not fit.
 * @param shown the receipt, without the text of the message
 * @returns its lists; `nextAfter` leads to what is left out of `meanwhile`
 */
export function fitReview(shown: Told): Told {
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
