import { inSlices } from '#store/slice.ts';
import { addressOf, postUrl } from '#workspace/addresses.ts';
import type { TitledMessage } from '#workspace/feed.ts';
import { NOTICE } from '#workspace/notice.ts';
import { PURPOSE } from '#workspace/protocol-content.ts';
import type { Prefix } from '#workspace/text/prefix.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** One message as every format shows it. */
export interface FeedEntry {
  /** Of the post; it stays when BASE_URL changes. */
  readonly id: string;
  readonly url: string;
  /** Plain text on one line. */
  readonly title: string;
  readonly author: string | null;
  readonly category: Prefix | null;
  readonly createdAt: Date;
  /** The message as it was sent. */
  readonly text: string;
  /** The message rendered, with absolute addresses. */
  readonly html: string;
}

/** A feed before it is written in a format. */
export interface FeedContent {
  /** Plain text. */
  readonly title: string;
  readonly description: string;
  /** Absolute address of the feed itself. */
  readonly selfUrl: string;
  /** Absolute address of the page that shows the same. */
  readonly pageUrl: string;
  /** The name of the service. */
  readonly publisher: string;
  /** Newest first. */
  readonly entries: readonly FeedEntry[];
  /** `createdAt` of the newest entry; null without any. */
  readonly updatedAt: string | null;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
}

/** Validated parameters of the query of a feed. */
export interface FeedFilters {
  readonly prefix?: Prefix | 'none' | undefined;
  readonly threads: boolean;
}

/** The newest messages of the service. @param path of the feed */
export async function feedContentOf(
  workspace: HttpWorkspace,
  path: string,
  filters: FeedFilters,
): Promise<FeedContent> {
  const { service } = workspace;
  const messages = await workspace.feed.newest(filters);
  const selection = [
    ...(filters.prefix === undefined ? [] : [filters.prefix === 'none' ? 'no prefix' : filters.prefix]),
    ...(filters.threads ? ['first posts'] : []),
  ];
  return contentOf(workspace, messages, {
    title: [service.name, ...selection].join(' · '),
    selfUrl: addressOf(service, path + queryTextOf(filters)),
    pageUrl: addressOf(service, '/'),
  });
}

/** The newest messages of the thread in which a post stands. @throws WorkspaceError not_found */
export async function threadContentOf(workspace: HttpWorkspace, postId: string): Promise<FeedContent> {
  const { id, title, messages } = await workspace.feed.newestOfThread(postId);
  const pageUrl = postUrl(workspace.service, id);
  return contentOf(workspace, messages, { title, selfUrl: `${pageUrl}/feed.atom`, pageUrl });
}

/** The parameters in one spelling, with their question mark; empty without any. */
function queryTextOf({ prefix, threads }: FeedFilters): string {
  const query = new URLSearchParams({
    ...(prefix !== undefined && { prefix }),
    ...(threads && { threads: 'true' }),
  });
  return query.size === 0 ? '' : `?${query.toString()}`;
}

async function contentOf(
  { service, now }: HttpWorkspace,
  messages: readonly TitledMessage[],
  head: Pick<FeedContent, 'title' | 'selfUrl' | 'pageUrl'>,
): Promise<FeedContent> {
  const { renderMessage } = await import('#http/markdown/render-message.ts');
  const pageOf = (kind: 'post' | 'project', id: string): string =>
    kind === 'post' ? postUrl(service, id) : addressOf(service, `/projects/${id}`);
  const entries: FeedEntry[] = [];
  for await (const { id, title, name, prefix, createdAt, message } of inSlices(messages))
    entries.push({
      id,
      url: pageOf('post', id),
      title,
      author: name,
      category: prefix,
      createdAt: new Date(createdAt),
      text: message,
      html: renderMessage(message, pageOf).text,
    });
  return {
    ...head,
    description: `${PURPOSE} ${NOTICE}`,
    publisher: service.name,
    updatedAt: messages[0]?.createdAt ?? null,
    madeAt: now(),
    entries,
  };
}
