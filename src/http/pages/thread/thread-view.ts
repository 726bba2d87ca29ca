import type { Html } from '#http/html/html.ts';
import { linkRecords, markedRecords } from '#http/html/link-records.ts';
import { headHtml, readRecordLabels } from '#http/html/record-labels.ts';
import type { RenderedMessage } from '#http/html/rendered-messages.ts';
import type { PageContext } from '#http/pages/parts/page.ts';
import type { Pause } from '#tool/read-gate.ts';
import type { Head } from '#workspace/work/heads.ts';
import type { Message } from '#workspace/schemas/post.ts';
import type { FullThread } from '#workspace/feed.ts';
import type { SaidOfResult } from '#workspace/work/reviews.ts';
import type * as z from 'zod';

const MAX_REPLIES = 300;

/** Limits the cost of rendering, which is mostly Markdown. */
const TEXT_LIMIT = { textBudget: 100_000 };

/** In UTF-16 units of HTML, with the markup around the texts. */
const MAX_MARKUP = 240_000;

/** The markup around the text of a message, and its line in the map, in UTF-16 units. */
const FRAME_MARKUP = 700;

/** Posts that are not on the page, and that it names. */
const MAX_ELSEWHERE = 100;

type ThreadPost = z.infer<typeof Message> & Partial<Pick<FullThread['post'], 'reviews'>>;

export type PageMessage = ThreadPost & {
  readonly title: string;
  readonly markup: Html;
  /** As `FoldedMarkup`, with the links. */
  readonly folded:
    | {
        readonly shown: Html;
        readonly rest: Html;
        readonly restLength: number;
      }
    | undefined;
};

/** One page of a thread, oldest message first. */
export interface ThreadView {
  readonly first: PageMessage & Pick<FullThread['post'], 'referredToBy'>;
  readonly replies: readonly PageMessage[];
  /** What the page shows of posts by their ids, those on it and others. */
  readonly heads: ReadonlyMap<string, Head>;
  /** How its RESULTs stand, by id. */
  readonly standings: ReadonlyMap<string, SaidOfResult>;
  /** Why other messages of the thread are hidden. */
  readonly hiddenFor: readonly string[];
  readonly after: string | undefined;
  readonly nextAfter: string | null;
  readonly count: number;
}

/** Reads one page of the thread that a post belongs to. @throws WorkspaceError not_found */
export async function readThreadView(
  context: PageContext,
  postId: string,
  after: string | undefined,
  pause: Pause,
): Promise<ThreadView> {
  const { workspace, rendered } = context;
  const query = { postId, whole: true, limit: MAX_REPLIES, after, view: 'full' } as const;
  const { post, replies, nextAfter, threadCount } = await workspace.feed.thread(query, TEXT_LIMIT);
  const texts = new Map([[post.id, await rendered.render(post.id, post.message)]]);
  const shown: ThreadPost[] = [];
  let size = 0;
  for (const reply of replies) {
    if (!('message' in reply)) continue;
    await pause();
    const text = await rendered.render(reply.id, reply.message);
    size += text.markup.length + FRAME_MARKUP;
    if (size > MAX_MARKUP && shown.length > 0) break;
    shown.push(reply);
    texts.set(reply.id, text);
  }
  const heads = await readHeads(context, post, shown);
  const toPageMessage = await createLinker(context, texts, heads, post.createdAt.slice(0, 4));
  const isCut = shown.length < replies.length;
  return {
    first: { ...post, ...toPageMessage(post) },
    replies: shown.map(toPageMessage),
    heads,
    standings: await workspace.feed.standings(shown),
    hiddenFor: await workspace.hiddenPosts.reasonsIn(post.rootId),
    after,
    nextAfter: isCut ? (shown.at(-1)?.createdAt ?? null) : nextAfter,
    count: threadCount,
  };
}

/** Reads what the page shows of its own posts and of others that it names. */
function readHeads(
  { workspace }: PageContext,
  post: FullThread['post'],
  replies: readonly ThreadPost[],
): Promise<ReadonlyMap<string, Head>> {
  const all = [post, ...replies];
  const onPage = new Set(all.map(({ id }) => id));
  const named = [
    ...post.referredToBy.map(({ id }) => id),
    ...all.flatMap(({ parentId }) => parentId ?? []),
    ...all.flatMap(({ because = [], correctedBy = [] }) => [...because, ...correctedBy].map(({ id }) => id)),
  ];
  const elsewhere = new Set(named.filter((id) => !onPage.has(id)));
  return workspace.feed.heads([...onPage, ...[...elsewhere].slice(0, MAX_ELSEWHERE)]);
}

/** Creates a function that puts the links into the markup of a message. @param year that the page shows */
async function createLinker(
  { workspace, href }: PageContext,
  texts: ReadonlyMap<string, RenderedMessage>,
  heads: ReadonlyMap<string, Head>,
  year: string,
): Promise<(message: ThreadPost) => PageMessage> {
  const named = [...texts.values()].flatMap(({ markup }) => markedRecords(markup));
  const labels = await readRecordLabels(
    workspace,
    named.filter((id) => !heads.has(id)),
  );
  const toLink = (kind: 'post' | 'project', id: string) => {
    const head = heads.get(id);
    return {
      href: texts.has(id) ? `#${id}` : href(`/${kind}s/${id}`),
      label: head === undefined ? labels.get(id) : headHtml(head, year),
    };
  };
  return (message) => {
    const { markup = '', folded } = texts.get(message.id) ?? {};
    return {
      ...message,
      title: heads.get(message.id)?.title ?? '',
      markup: linkRecords(markup, toLink),
      folded: folded && {
        shown: linkRecords(folded.shown, toLink),
        rest: linkRecords(folded.rest, toLink),
        restLength: folded.restLength,
      },
    };
  };
}
