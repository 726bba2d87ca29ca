import { toSigner } from '#message/signer.ts';
import { MAX_REFERENCES } from '#message/references.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
import { readCount, toSignature } from '#work/message-view.ts';
import type { Work } from '#work/thread.ts';
import { statusOf } from '#work/works.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { readHeads, type Head } from '#workspace/reading/heads.ts';
import { toMessage } from '#workspace/reading/message.ts';
import { jsonBytes } from '#workspace/reading/page.ts';
import { toUnderWay } from '#workspace/reading/progress.ts';
import type { PublishedMessage } from '#workspace/schemas/post.ts';
import type { IsOwn } from '#workspace/text/author-key.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { readMeanwhile } from './meanwhile.ts';
import { ANNOUNCED, readPosted, stateOf, type Posted, type Stated } from './posted.ts';
import { postWarnings } from './post-warnings.ts';
import type { Published, Receipt } from './publish.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** Of the IDEA that a message is about. */
const MAX_FREE_PARTS = 5;
/** JSON bytes of the receipt of a REVIEW. */
const MAX_REVIEW_BYTES = 1500;

type PostReceipt = Receipt<typeof PublishedMessage>;

type Titles = ReadonlyMap<string, Head>;

/** The fields that follow from the text alone. */
const statedFields = ({ post, facts, named }: Stated) => ({
  refersTo: named.slice(0, MAX_REFERENCES),
  ...(post.mark !== undefined && { signer: toSigner(post.mark) }),
  ...(post.sameKeyAs && { sameKeyAs: [...post.sameKeyAs] }),
  ...(post.prefix === 'RESULT' && { corrects: [...(facts?.corrects ?? [])] }),
});

/** Those that follow from the lists of work, too. @param titles of the WORKs that they name */
function workFields(posted: Posted, titles: Titles) {
  const { post, facts, board, author, refersTo, copyOf, checks, trust, dueAt, parts, others, open } = posted;
  const { namesakeOf } = toSignature(board, author);
  // No member is undefined: to take such members out again is some microseconds of each post.
  return {
    ...statedFields(posted),
    refersTo,
    ...(namesakeOf && { namesakeOf }),
    ...(copyOf && { copyOf }),
    ...(checks && { checks, counts: readCount(board, post.id, checks).counts ?? null }),
    ...(trust !== undefined && { trust: trust?.map(({ isIdle: _, ...change }) => change) ?? [] }),
    ...(dueAt !== undefined && { dueAt }),
    ...(parts.parts && { parts: [...parts.parts] }),
    ...(parts.free && { freeParts: parts.free.slice(0, MAX_FREE_PARTS) }),
    ...(ANNOUNCED.includes(post.prefix) && {
      alsoUnderWay: others.map((work) => ({ ...toUnderWay(board, work), title: titleIn(titles, work) })),
    }),
    ...((facts !== null || post.name !== undefined) && { ended: posted.ended }),
    ...(open.length > 0 && {
      openUnderYourName: open.map((work) => ({
        id: work.step.id,
        title: titleIn(titles, work),
        dueAt: timestampAt(statusOf(work).dueAt),
      })),
    }),
  };
}

type WorkFields = ReturnType<typeof workFields>;

const titleIn = (titles: Titles, { step }: Work): string => titles.get(step.id)?.title ?? '';

/**
 * Reads the receipt of a post. The post is published, so what cannot be read is left out.
 * @param readUpTo null without it
 * @example
 *   await readReceipt(context, published, { readUpTo: null, isOwn });
 *   // of a WORK: { id, refersTo: ['post_…'], dueAt, alsoUnderWay: [], ended: [], warnings: [], … }
 */
export async function readReceipt(
  context: WorkspaceContext,
  { stored, named, receipt }: Published<'post'>,
  { readUpTo, isOwn }: { readonly readUpTo: Timestamp | null; readonly isOwn: IsOwn },
): Promise<PostReceipt> {
  const { store, service } = context;
  const post = stored.record;
  const { board, fields, warnings } = await readWork(context, post, named);
  const listed = new Set(fields.alsoUnderWay?.map(({ id }) => id));
  const meanwhile =
    receipt.duplicate || board === undefined
      ? null
      : await readMeanwhile(store.read, post, { board, after: readUpTo, isOwn, listed });
  const whole = toMessage(service, stored, { notice: NOTICE, ...receipt, warnings, ...fields, meanwhile });
  if (post.prefix !== 'REVIEW') return whole;
  const { message: _, ...shown } = whole;
  return Object.assign(shown, fitReview(shown));
}

async function readWork(context: WorkspaceContext, post: Post, named: Published<'post'>['named']) {
  const now = context.now();
  try {
    const posted = await readPosted(context, post, named);
    const works = [...posted.others, ...posted.open].map(({ step }) => step.id);
    const titles = await readHeads(context.store.read, works);
    return { board: posted.board, fields: workFields(posted, titles), warnings: postWarnings(posted, now) };
  } catch {
    const stated = stateOf(post);
    // Without a board, since the lists of work cannot be read.
    const fields: WorkFields = statedFields(stated);
    return { fields, warnings: postWarnings(stated, now) };
  }
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
