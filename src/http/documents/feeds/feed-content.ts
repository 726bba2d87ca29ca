import { v5 } from 'uuid';
import type { SameKey } from '#work/message-view.ts';
import {
  linkRecords,
  markedRecords,
  projectLabel,
  readPostLabels,
  withNumbers,
} from '#http/html/record-labels.ts';
import { formatTime, inQuotes, plural } from '#http/html/formats.ts';
import { html, joinHtml } from '#http/html/html.ts';
import { besideFinding, toFindingView } from '#http/pages/parts/findings.ts';
import { describeCopy, marksMarkdown, NOT_SIGNED, type Marked } from '#http/pages/parts/marks.ts';
import { toSearch, type PageContext } from '#http/pages/parts/page.ts';
import { standingWords } from '#http/html/standings.ts';
import { markLines } from '#http/html/stranger-text.ts';
import type { Pause } from '#tool/read-gate.ts';
import { absoluteUrl, postUrl, type Service } from '#workspace/service/service.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import { NOTICE, PURPOSE, sayExample } from '#workspace/protocol/protocol-content.ts';
import {
  type ConfirmedEntry,
  listConfirmed,
  listNewest,
  listNewestOfThread,
} from '#workspace/reading/syndication.ts';
import type { ListedPost } from '#workspace/reading/views.ts';
import type { SyndicationQuery } from '#workspace/schemas/feed-query.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { readThreadMessages } from '#workspace/reading/thread.ts';

export type FeedContent = Awaited<ReturnType<typeof toFeedContent>>;
export type FeedEntry = FeedContent['entries'][number];

type FeedMessage = ListedPost & { readonly entry?: ConfirmedEntry | undefined };

export type FeedSource = Pick<PageContext, 'workspace' | 'rendered'>;

export async function readFeedContent(
  source: FeedSource,
  path: string,
  filters: SyndicationQuery,
  pause: Pause,
): Promise<FeedContent> {
  const { workspace } = source;
  const { q, name, prefix, standing, threads } = filters;
  const messages = await (standing === 'confirmed'
    ? listConfirmed(workspace, filters)
    : listNewest(workspace, filters));
  const selection = [
    q && `“${inQuotes(q)}”`,
    name && `With the name “${inQuotes(name)}”; anyone can use a name`,
    prefix === 'none' ? 'no prefix' : prefix,
    standingWords(filters),
    threads ? 'first posts' : '',
  ];
  const search = toSearch({ q, name, prefix });
  const page = standing === undefined ? (search === '' ? '/' : `/feed${search}`) : '/results';
  const self = toSearch({ q, name, prefix, standing, threads: threads ? 'true' : undefined });
  const title = [workspace.service.name, ...selection.filter(Boolean)].join(' · ');
  return toFeedContent(source, messages, { title, path: path + self, page }, pause);
}

/** Reads the RESULTs that may be shown apart from their threads. @param path of the feed */
export async function readResultsContent(
  source: FeedSource,
  path: string,
  pause: Pause,
): Promise<FeedContent> {
  const { workspace } = source;
  const head = { title: `${workspace.service.name} · Confirmed results`, path, page: '/results' };
  return toFeedContent(source, await listConfirmed(workspace), head, pause);
}

/** Reads the newest messages of the thread that a post belongs to. @throws WorkspaceError not_found */
export async function readThreadContent(
  source: FeedSource,
  postId: string,
  pause: Pause,
): Promise<FeedContent> {
  const { workspace } = source;
  const { id, title, messages } = await listNewestOfThread(workspace, postId);
  const page = `/posts/${id}`;
  return toFeedContent(source, messages, { title, path: `${page}/feed.atom`, page }, pause);
}

/** Reads the text of a post as plain text, after the notice. @throws WorkspaceError not_found */
export async function readPostText(workspace: HttpWorkspace, postId: string): Promise<string> {
  const { post } = await readThreadMessages(workspace, { postId, limit: 1 });
  return [sayExample(workspace.service, NOTICE), ...sameKeyWords(post), markLines(post.message)].join('\n\n');
}

const sameKeyWords = ({ sameKeyAs, notOfThisKey }: SameKey): string[] =>
  marksMarkdown({ name: null, sameKeyAs, notOfThisKey });

async function toFeedContent(
  { workspace, rendered }: FeedSource,
  messages: readonly FeedMessage[],
  { title, path, page }: Readonly<Record<'title' | 'path' | 'page', string>>,
  pause: Pause,
) {
  const { service, now } = workspace;
  const markups: string[] = [];
  for (const { id, message } of messages) {
    markups.push((await rendered.render(id, message)).markup);
    await pause();
  }
  const labels = await readPostLabels(workspace, markups.flatMap(markedRecords));
  const toLink = (kind: 'post' | 'project', id: string) => ({
    href: kind === 'post' ? postUrl(service, id) : absoluteUrl(service, `/projects/${id}`),
    label: kind === 'post' ? labels.get(id) : projectLabel(id),
  });
  const titles = await readDistinctTitles(workspace, messages);
  const entries = messages.map((message, index) => {
    const lead = message.entry === undefined ? undefined : leadOf(service, message, message.entry);
    return {
      /** The id of the post, or of a thread and day in a feed of RESULTs. Does not depend on BASE_URL. */
      id: message.entry === undefined ? message.id : idOf(message, message.entry),
      url: postUrl(service, message.id),
      /** Plain text on one line. */
      title: titles[index] ?? '',
      author: message.name,
      /** Its prefix, the standing of a RESULT, and what belongs to the name: the signer and lookalikes. */
      categories: [message.prefix ?? [], reviewWords(message) || [], ...signatureWords(message)].flat(),
      /** When it was written, or when a RESULT was listed. */
      at: message.entry?.at ?? message.createdAt,
      parentId: message.parentId,
      /** The message, below the reviews of a listed RESULT. */
      text: lead === undefined ? message.message : `${lead.text}\n\n${message.message}`,
      /** `text` as HTML, with absolute URLs. */
      html: `${lead?.html.text ?? ''}${linkRecords(markups[index] ?? '', toLink).text}`,
    };
  });
  return {
    title: sayExample(service, title),
    selfUrl: absoluteUrl(service, path),
    pageUrl: absoluteUrl(service, page),
    description: sayExample(service, `${PURPOSE} ${NOTICE}`),
    publisher: service.name,
    /** `at` of the newest entry; null without entries. Copies come last, whatever their time. */
    updatedAt:
      entries
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? null,
    /** Milliseconds since 1970. */
    madeAt: now(),
    /** Newest first. */
    entries,
  };
}

/** Returns the id of the one entry that a thread has per day. It stays when more RESULTs are listed. */
const idOf = ({ rootId }: FeedMessage, { at, isListed }: ConfirmedEntry): string =>
  `entry_${v5(`${rootId} ${at.slice(0, 'YYYY-MM-DD'.length)} ${isListed}`, v5.URL)}`;

/**
 * Creates the title of an entry: its prefix, the outcome of a REVIEW, and its own title. A reply and a
 * reviewed RESULT also name the thread, because feed readers show lists of titles.
 */
function toEntryTitle(post: FeedMessage): string {
  const { title, id, rootId, threadTitle, prefix, named, entry } = post;
  const isFirst = id === rootId;
  const standing = reviewWords(post) || (post.remarks.verdict?.outcome ?? '');
  if (isFirst && standing === '') return (prefix === null ? '' : `${prefix}: `) + withNumbers(title, named);
  const thread = isFirst || threadTitle === undefined ? '' : ` (in: ${withNumbers(threadTitle)})`;
  if (entry?.isListed === false) return `No longer confirmed: ${withNumbers(entry.finding.title)}${thread}`;
  return `${prefix ?? 'Reply'}${standing === '' ? '' : ` (${standing})`}: ${withNumbers(title, named)}${thread}`;
}

/** Feed readers keep the first version of an entry, so no title says that a RESULT needs a review. */
const reviewWords = (post: ListedPost): string => (post.standing === 'unreviewed' ? '' : standingWords(post));

function signatureWords({ signer, namesakeOf, copyOf, ...post }: ListedPost): string[] {
  return [
    ...(signer === undefined ? [] : [`signer ${signer}`]),
    ...(namesakeOf === undefined ? [] : ['looks like another’s name']),
    ...(copyOf === undefined ? [] : [`${describeCopy(copyOf)} another message`]),
    ...sameKeyWords(post),
  ];
}

/** @returns the titles. Those that differ at most in case get the number of the reply or the end of the id */
async function readDistinctTitles(
  { store }: HttpWorkspace,
  messages: readonly FeedMessage[],
): Promise<readonly string[]> {
  const titles = messages.map(toEntryTitle);
  const keys = titles.map((title) => title.toLowerCase());
  const isRepeated = (_: unknown, index: number): boolean => {
    const key = keys[index] ?? '';
    return keys.indexOf(key) !== keys.lastIndexOf(key);
  };
  const replies = messages.filter(isRepeated).filter((one) => one.id !== one.rootId);
  const { numbers } = await store.read.related({ numbers: replies.map(({ id }) => id) });
  return titles.map((title, index) => {
    if (!isRepeated(title, index)) return title;
    const { id = '' } = messages[index] ?? {};
    const number = numbers.get(id);
    return `${title} ${number === undefined ? `…${id.slice(-6)}` : `#${number}`}`;
  });
}

/** A line of the first paragraph. */
interface Row {
  /** The writer of the message that it is about. */
  readonly by?: Pick<Marked, 'name' | 'shortSigner'>;
  readonly label?: string;
  readonly text: string;
  /** The id of the message that the text links to. */
  readonly id?: string;
}

/**
 * Creates the first paragraph of an entry: who has confirmed a RESULT, what they checked and what they left
 * open, or which RESULT a message took off the lists.
 */
function leadOf(service: Service, post: FeedMessage, entry: ConfirmedEntry) {
  const rows = rowsOf(post, entry);
  const lines = rows.map(({ by, label, text, id }) => {
    const from = by === undefined ? '' : html`<bdi>${by.name ?? NO_NAME}</bdi>${signerOf(by)} `;
    const head = label === undefined ? '' : html`<b>${from}${label}:</b> `;
    return html`${head}${id === undefined ? text : html`<a href="${postUrl(service, id)}">${text}</a>`}`;
  });
  const texts = rows.map(({ by, label, text }) => {
    const from = by === undefined ? '' : `${by.name ?? NO_NAME}${signerOf(by)} `;
    return label === undefined ? text : `${from}${label}: ${text}`;
  });
  return { html: html`<p>${joinHtml(lines, '<br>\n')}</p>\n`, text: texts.join('\n') };
}

/** Returns the signer if other writers in the thread have the same name. */
const signerOf = ({ shortSigner }: Pick<Marked, 'shortSigner'>): string =>
  shortSigner === undefined ? '' : ` (${shortSigner ?? NOT_SIGNED})`;

function rowsOf(
  { rootId, threadTitle }: FeedMessage,
  { finding, opener, isListed, others, more }: ConfirmedEntry,
): Row[] {
  const { id, title, createdAt, since } = finding;
  const beside = besideFinding(finding);
  const times = [`Written ${formatTime(createdAt)}`, `confirmed ${formatTime(since)}`, ...beside].join(', ');
  const now = [standingWords(finding), ...beside].join(', ');
  const also = isListed ? 'Also confirmed' : 'Also no longer confirmed';
  return [
    ...(isListed ? [] : [{ label: 'No longer confirmed', text: withNumbers(title), id }]),
    ...(isListed ? toFindingView(finding).reviews : []).flatMap(({ review, label, text, lines }) => [
      { by: review, label, text, id: review.id },
      ...Object.entries(lines).map((line) => ({ label: line[0], text: line[1] })),
    ]),
    ...(threadTitle === undefined
      ? []
      : [{ by: opener, label: 'opened the thread', text: withNumbers(threadTitle), id: rootId }]),
    { text: isListed ? `${times}.` : `How it stands now: ${now}.` },
    ...others.map((one) => ({ label: also, text: withNumbers(one.title), id: one.id })),
    ...(more === 0 ? [] : [{ label: also, text: `${plural(more, 'other result')} of the thread` }]),
  ];
}
