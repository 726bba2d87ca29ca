import { toSigner } from '#message/step.ts';
import { MAX_REFERENCES } from '#message/references.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
import { countsOf } from '#work/message-view.ts';
import { toSignature } from '#work/standing-view.ts';
import type { Work } from '#work/model.ts';
import { statusOf } from '#work/works.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { readPosts, titleOf, toMessage } from '#workspace/reading/message.ts';
import { fillWithinBudget, jsonBytes } from '#workspace/reading/page.ts';
import { toUnderWay } from '#workspace/reading/progress.ts';
import type { ToolOutput } from '#workspace/schemas/fields.ts';
import { MAX_LISTED, type PublishedMessage } from '#workspace/schemas/post.ts';
import type { IsOwn } from '#workspace/text/author-key.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { readMeanwhile } from './meanwhile.ts';
import { IN_THREAD_PREFIXES, readPostOnBoard, toPostText } from './post-on-board.ts';
import type { PostOnBoard, PostText } from './post-on-board.ts';
import { postWarnings } from './post-warnings.ts';
import type { PublishOutcome } from './publish.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The maximum number of JSON bytes of the receipt of a REVIEW, without its text. */
const MAX_REVIEW_BYTES = 1500;

type PostReceipt = ToolOutput<typeof PublishedMessage>;
type NamedRecords = PublishOutcome<'post'>['named'];
type Fitted = Pick<
  PostReceipt,
  'trust' | 'parts' | 'refersTo' | 'alsoUnderWay' | 'openUnderYourName' | 'meanwhile'
>;

/**
 * Reads the receipt of a post: the message, the receipt of `publish`, what the lists of work say about the
 * message (`workFields`), warnings, and what others posted meanwhile. The post is already published, so what
 * cannot be read is left out.
 * @param readUpTo undefined without it
 * @example
 *   await readReceipt(context, published, { readUpTo: undefined, isOwn });
 *   // of a WORK: { id, refersTo: ['post_…'], dueAt, alsoUnderWay: [], ended: [], warnings: [], … }
 */
export async function readReceipt(
  context: WorkspaceContext,
  { stored, named, fields: published }: PublishOutcome<'post'>,
  { readUpTo: after, isOwn }: { readonly readUpTo: Timestamp | undefined; readonly isOwn: IsOwn },
): Promise<PostReceipt> {
  const { store, service } = context;
  const post = stored.record;
  const { board, fields, warnings } = await readBoardFields(context, post, named);
  const listed = new Set(fields.alsoUnderWay?.map(({ id }) => id));
  const meanwhile =
    published.duplicate || board === undefined
      ? null
      : await readMeanwhile(store.read, post, { board, after, isOwn, listed }).catch(() => null);
  const whole = toMessage(service, stored, { notice: NOTICE, ...published, warnings, ...fields, meanwhile });
  if (post.prefix !== 'REVIEW') return whole;
  const { message: _, ...shown } = whole;
  return fitReview(shown);
}

/**
 * Leaves out the last rows of the lists of a receipt that do not fit into `MAX_REVIEW_BYTES`.
 * @returns with `more` in `meanwhile` if it leaves out any there, to which `nextAfter` leads
 * @example
 *   fitReview({ …, refersTo: ['post_1'], openUnderYourName: [600 bytes, 600 bytes, 600 bytes] });
 *   // { …, refersTo: ['post_1'], openUnderYourName: [600 bytes] }
 */
export function fitReview<Shown extends Fitted>(receipt: Shown): Shown {
  if (jsonBytes(receipt) <= MAX_REVIEW_BYTES) return receipt;
  const { trust, parts, refersTo, alsoUnderWay, openUnderYourName, meanwhile } = receipt;
  const lists = {
    ...(trust && { trust }),
    ...(parts && { parts }),
    refersTo,
    ...(alsoUnderWay && { alsoUnderWay }),
    ...(openUnderYourName && { openUnderYourName }),
    inThread: meanwhile?.inThread ?? [],
    elsewhere: meanwhile?.elsewhere ?? [],
  };
  const withRows = ({ inThread, elsewhere, ...others }: typeof lists): Shown => {
    const news = inThread.length + elsewhere.length;
    const isPart = news < lists.inThread.length + lists.elsewhere.length;
    return {
      ...receipt,
      ...others,
      meanwhile: meanwhile && { ...meanwhile, inThread, elsewhere, ...(isPart && { more: true }) },
    };
  };
  const rest = jsonBytes(withRows(fillWithinBudget(lists, 0)));
  return withRows(fillWithinBudget(lists, MAX_REVIEW_BYTES - rest));
}

async function readBoardFields(context: WorkspaceContext, post: Post, named: NamedRecords) {
  const now = context.now();
  try {
    const onBoard = await readPostOnBoard(context, post, named);
    const works = [...onBoard.others, ...onBoard.open].map(({ step }) => step.id);
    const found = await readPosts(context.store.read, works);
    return { board: onBoard.board, fields: workFields(onBoard, found), warnings: postWarnings(onBoard, now) };
  } catch {
    const text = toPostText(post);
    // The lists of work cannot be read, so there is no board.
    const fields: ReturnType<typeof workFields> = textFields(text);
    return { fields, warnings: postWarnings(text, now) };
  }
}

/** The fields that follow from the lists of work. @param found the WORKs in these fields, by id */
function workFields(onBoard: PostOnBoard, found: ReadonlyMap<string, Post>) {
  const { post, facts, board, author, refersTo, copyOf, checks, trust, dueAt, parts, others, open } = onBoard;
  const { namesakeOf } = toSignature(board, author);
  const titleOfWork = ({ step }: Work): string => titleOf(found.get(step.id));
  // No member is undefined: removing such members later would cost each post some microseconds.
  return {
    ...textFields(onBoard),
    refersTo,
    ...(namesakeOf && { namesakeOf }),
    ...(copyOf && { copyOf }),
    ...(checks && { checks, counts: countsOf(board, post.id, checks).counts ?? null }),
    ...(trust !== undefined && { trust: trust?.map(({ effect: _, ...change }) => change) ?? [] }),
    ...(dueAt !== undefined && { dueAt }),
    ...(parts.parts && { parts: [...parts.parts] }),
    ...(parts.free && { freeParts: parts.free.slice(0, MAX_LISTED) }),
    ...(IN_THREAD_PREFIXES.includes(post.prefix) && {
      alsoUnderWay: others.map((work) => ({ ...toUnderWay(board, work), title: titleOfWork(work) })),
    }),
    ...((facts !== null || post.name !== undefined) && { ended: onBoard.ended }),
    ...(open.length > 0 && {
      openUnderYourName: open.map((work) => ({
        id: work.step.id,
        title: titleOfWork(work),
        dueAt: timestampAt(statusOf(work).dueAt),
      })),
    }),
  };
}

/** The fields that follow from the text alone. */
function textFields({ post, facts, named }: PostText) {
  return {
    refersTo: named.slice(0, MAX_REFERENCES),
    ...(post.mark !== undefined && { signer: toSigner(post.mark) }),
    ...(post.sameKeyAs && { sameKeyAs: [...post.sameKeyAs] }),
    ...(post.prefix === 'RESULT' && { corrects: [...(facts?.corrects ?? [])] }),
  };
}
