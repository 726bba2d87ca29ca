import * as z from 'zod';
import { append } from '#work/lists.ts';
import { remarkedPosts, type Remarks } from '#work/message-view.ts';
import { likenessesOf } from '#work/standing-view.ts';
import {
  type LabelledPost,
  linkRecords,
  markedRecords,
  MAX_NAMED,
  postLabel,
  projectLabel,
  readPostLabels,
  withNumbers,
} from '#http/html/record-labels.ts';
import { type Html } from '#http/html/html.ts';
import type { RenderedMessage } from '#http/html/rendered-messages.ts';
import { numbersOf, type Marked, type References } from '#http/pages/parts/marks.ts';
import { TEXT_LIMIT, type PageContext } from '#http/pages/parts/page.ts';
import type { Reading } from '#http/responses/document.ts';
import { readKnownThread, type KnownThread } from '#workspace/reading/known-thread.ts';
import { withUniqueNames, readPosts, titleOf } from '#workspace/reading/message.ts';
import { readThreadPage, type MessageInThread, type ThreadPage } from '#workspace/reading/thread.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import { ThreadQuery } from '#workspace/schemas/thread.ts';
import { dayAt } from '#workspace/text/time.ts';
import { nextMidnight } from '#http/pages/parts/periods.ts';

const MAX_REPLIES = 300;
/** The maximum number of RESULTs whose cards contain REVIEWs, up to seven each. */
const MAX_CARDS = 100;

/** In UTF-16 code units of HTML, including the markup around the texts. */
const MAX_MARKUP = 320_000;

const FRAME_MARKUP = 700;

/** A thread with at least this many messages begins with the state of the work. */
const LONG_THREAD = 12;

/** The views of a long thread. `results` shows RESULTs that hold in full, and one line per other message. */
const MODES = ['results', 'full', 'confirmed'] as const;

export type Mode = (typeof MODES)[number];

export type PageMessage = Omit<MessageInThread, 'remarks'> &
  Remarks &
  Pick<Marked, 'alsoWrote' | 'isOnly'> & {
    readonly title: string;
    readonly markup: Html;
    /** The beginning and the end of a long text. */
    readonly folded: (Record<'shown' | 'rest', Html> & { readonly restLength: number }) | undefined;
  };

export type ThreadView = Awaited<ReturnType<typeof readThreadView>>;

/** The query of the page, without the position in the thread. */
export const keptOf = ({ mode, isLong, known }: ThreadView) => ({
  view: isLong && mode !== 'results' ? mode : undefined,
  viewer: known.viewer,
});

export const ThreadPageQuery = z.object({
  after: afterField,
  view: z.enum(MODES).optional(),
  viewer: ThreadQuery.shape.viewer,
});

/** Reads one page of the thread that a post belongs to. @throws WorkspaceError not_found */
export async function readThreadView(
  context: PageContext,
  postId: string,
  { after, view = 'results', viewer }: z.infer<typeof ThreadPageQuery>,
  { pause, expireAt }: Reading,
) {
  const { workspace } = context;
  const { hiddenReasons, now } = workspace;
  const query = { postId, whole: true, limit: MAX_REPLIES, after, viewer };
  const { post, replies, nextAfter, threadCount } = await readThreadPage(workspace, query, TEXT_LIMIT);
  const texts = new Map([[post.id, await context.rendered.render(post.id, post.message)]]);
  const batch: MessageInThread[] = [];
  let size = 0;
  for (const reply of replies) {
    await pause();
    const text = await context.rendered.render(reply.id, reply.message);
    size += text.markup.length + FRAME_MARKUP;
    if (size > MAX_MARKUP && batch.length > 0) break;
    batch.push(reply);
    texts.set(reply.id, text);
  }
  const isLong = threadCount >= LONG_THREAD;
  const mode = isLong ? view : 'full';
  const pageReplies = mode === 'confirmed' ? onlyConfirmed(batch) : batch;
  const next = batch.length < replies.length ? (batch.at(-1)?.createdAt ?? null) : nextAfter;
  const withCards = pageReplies
    .flatMap(({ id, standing }) => (standing === undefined ? [] : id))
    .slice(0, MAX_CARDS);
  const known = await readKnownThread(workspace, { rootId: post.rootId, viewer, besides: withCards });
  expireAt(known.changesAt);
  const isWithFirst = after === undefined && mode !== 'confirmed';
  const named = await readNamed(context, [post, ...pageReplies], known, isWithFirst);
  const isWhole = after === undefined && next === null;
  const day = dayAt(now());
  const today = isWhole ? batch.filter(({ createdAt }) => createdAt >= day).map(({ id }) => id) : [];
  if (today.length > 0) expireAt(nextMidnight(now()));
  const onlyOfName = isWhole ? withUniqueNames([post, ...batch]) : new Set<string>();
  const toPageMessage = await createPageMessages(context, post, texts, named, onlyOfName, view === 'full');
  const messages: PageMessage[] = [];
  for (const message of pageReplies) {
    await pause();
    messages.push(toPageMessage(message));
  }
  return {
    first: toPageMessage(post),
    replies: messages,
    /** Messages that name another one, by its id, except REVIEWs, and replies, which are shown below it. */
    referrers: findReferrers(post, pageReplies, named.heads),
    mode,
    isLong,
    known,
    /** Whether the first message is an IDEA that its writer has ended. */
    hasEnded: known.ended.includes(post.rootId),
    /** Today's messages, oldest first; none if the page shows only a part of the thread. */
    today,
    ...named,
    hiddenFor: await hiddenReasons(post.rootId),
    after,
    nextAfter: next,
    count: threadCount,
  };
}

/** @returns the confirmed RESULTs, and the REVIEWs that confirm them */
function onlyConfirmed(messages: readonly MessageInThread[]): MessageInThread[] {
  const confirmed = messages.filter(({ standing }) => standing === 'confirmed');
  const ids = new Set(
    confirmed.flatMap(({ id, checked = [] }) => [id, ...checked.map((review) => review.id)]),
  );
  return messages.filter(({ id }) => ids.has(id));
}

function findReferrers(
  first: ThreadPage['post'],
  replies: readonly MessageInThread[],
  heads: Awaited<ReturnType<typeof readPosts>>,
): ReadonlyMap<string, readonly LabelledPost[]> {
  const messages = [first, ...replies];
  const byId = new Map(messages.map((message) => [message.id, message]));
  const referrers = new Map<string, LabelledPost[]>();
  const add = (target: string, referrer: LabelledPost): void => {
    const { replacedBy, checked = [], others = [] } = byId.get(target) ?? {};
    if ([replacedBy, ...[...checked, ...others].map(({ id }) => id)].includes(referrer.id)) return;
    append(referrers, target, referrer);
  };
  for (const message of messages)
    for (const target of message.refersTo) if (target !== message.parentId) add(target, message);
  for (const referrer of first.referredToBy)
    if (!byId.has(referrer.id) && heads.get(referrer.id)?.parentId !== first.id) add(first.id, referrer);
  return referrers;
}

/**
 * Reads the heads and numbers of the posts on the page and of others that they name.
 * @param isWithFirst whether the page has the text of the first post of `all`
 */
async function readNamed(
  { workspace: { store }, href }: PageContext,
  all: readonly (MessageInThread & Partial<Pick<ThreadPage['post'], 'referredToBy'>>)[],
  known: KnownThread,
  isWithFirst: boolean,
) {
  const onPage = new Set(all.map(({ id }) => id));
  const ofKnown = namedByKnown(known);
  const inThread = all.flatMap(({ namesakeOf, remarks, parentId }) => [
    ...likenessesOf({ namesakeOf }),
    ...remarkedPosts(remarks),
    ...[parentId ?? []].flat(),
  ]);
  const inAnyThread = all.flatMap(({ copyOf, referredToBy = [], refersTo, sameKeyAs = [] }) => [
    ...[copyOf?.id ?? [], referredToBy.map(({ id }) => id)].flat(),
    ...sameKeyAs,
    ...refersTo,
  ]);
  const visible = new Set(ofKnown);
  const named = [...inThread, ...inAnyThread, ...ofKnown].filter((id) => !onPage.has(id));
  const others = [...new Set(named)].slice(0, MAX_NAMED);
  const heads = await readPosts(store.read, [...onPage, ...others]);
  const numberedIds = [...new Set([...onPage, ...others, ...ofKnown])];
  const { numbers } = await store.read.related({ numbers: numberedIds });
  // A message of another thread has its number in that thread.
  const numbered = new Set([...inThread, ...ofKnown]);
  const rootId = all[0]?.rootId;
  const references: References = {
    numberOf: (id) => (numbered.has(id) || heads.get(id)?.rootId === rootId ? numbers.get(id) : undefined),
    toHref: (id) =>
      onPage.has(id) && (isWithFirst || id !== all[0]?.id)
        ? `#${id}`
        : heads.has(id) || visible.has(id)
          ? href(`/posts/${id}`)
          : undefined,
  };
  return {
    /** The heads of the posts on the page and of those it names, by id. */
    heads,
    /** The numbers of the posts of `heads`, each in its own thread. */
    numbers,
    references,
  };
}

/** @returns the ids of messages that the beginning of the page and the cards of RESULTs name */
function namedByKnown(known: KnownThread): string[] {
  const { newest, findings, underWay, ideas, trusted, distrusted } = known;
  const signers = [...trusted, ...distrusted.items];
  const parts = ideas.flatMap((one) => one.parts);
  const ofParts = parts.flatMap(({ refuted, announced }) => [...refuted, ...announced]);
  const results = [...findings.values()];
  const reviews = results.flatMap(({ checked, others }) => [...checked, ...others]);
  const ids = [
    ...[...results, ...reviews, ...underWay.items].map(({ id }) => id),
    ...[...results, ...reviews, ...underWay.items, ...signers].flatMap(likenessesOf),
    ...results.flatMap((one) => [one.replacedBy, one.newerEdition?.id, one.withdrawn]),
    ...[...ideas.map(({ idea }) => idea), ...ofParts].map(({ step }) => step.id),
    ...signers.flatMap(({ by, of }) => [by, of]),
    newest?.id,
  ];
  return [...new Set(ids.filter((id) => id !== undefined))];
}

/**
 * Creates a function that puts the links into the markup of a message.
 * @param onlyOfName ids of messages with a unique name in the thread; empty on a page with only a part of it
 * @param isFull whether long texts are shown whole
 */
async function createPageMessages(
  { workspace, href }: PageContext,
  { rootId, createdAt }: MessageInThread,
  texts: ReadonlyMap<string, RenderedMessage>,
  { heads, numbers, references }: Awaited<ReturnType<typeof readNamed>>,
  onlyOfName: ReadonlySet<string>,
  isFull: boolean,
): Promise<(message: MessageInThread) => PageMessage> {
  const named = [...texts.values()].flatMap(({ markup }) => markedRecords(markup));
  const others = named.filter((id) => !heads.has(id));
  const labels = await readPostLabels(workspace, others);
  const toLink = (kind: 'post' | 'project', id: string) => {
    const target = references.toHref(id) ?? href(`/${kind}s/${id}`);
    const head = heads.get(id);
    if (kind === 'project') return { href: target, label: projectLabel(id) };
    if (head === undefined) return { href: target, label: labels.get(id) };
    const number = numbers.get(id);
    const isHere = head.rootId === rootId;
    const label = postLabel(head, (isHere ? number : undefined) ?? createdAt.slice(0, 4));
    if (isHere || number === undefined || head.parentId === null) return { href: target, label };
    return { href: target, label: `${label}, #${number} of its thread` };
  };
  return ({ remarks: { says, ...remarks }, ...message }) => {
    const { markup = '', folded } = texts.get(message.id) ?? {};
    const pageFields = {
      alsoWrote: remarks.writerOf,
      isOnly: message.prefix === 'REVIEW' && onlyOfName.has(message.id),
      title: withNumbers(titleOf(heads.get(message.id)), numbersOf(message, references)),
      markup: linkRecords(markup, toLink),
      folded:
        isFull || folded === undefined
          ? undefined
          : { ...folded, shown: linkRecords(folded.shown, toLink), rest: linkRecords(folded.rest, toLink) },
    };
    const evidence = says && { says: withNumbers(says, numbersOf(message, references)) };
    return Object.assign(message, remarks, pageFields, evidence);
  };
}
