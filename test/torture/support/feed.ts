import type { Post } from './publish.ts';

export interface Feed {
  readonly total: number;
  readonly posts: readonly Post[];
}

interface Page {
  readonly nextBefore: string | null;
  readonly totals: { readonly messages: number };
  readonly messages: readonly Post[];
}

const MOST_PAGES = 10_000;

/** Reads over a connection that may have been waiting: so it asks again where that one broke. */
export async function getJson<Body>(url: string): Promise<Body> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
      if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`);
      return (await answer.json()) as Body;
    } catch (error) {
      if (attempt === 2) throw error;
    }
  }
}

/** The feed, newest first, page after page. @param known where to stop, if not at the end */
export async function readFeed(
  url: string,
  known: (id: string) => boolean = () => false,
  limit = 100,
): Promise<Feed> {
  const posts: Post[] = [];
  let before = '';
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const { nextBefore, totals, messages } = await getJson<Page>(`${url}/api/feed?limit=${limit}${before}`);
    const end = messages.findIndex(({ id }) => known(id));
    posts.push(...(end < 0 ? messages : messages.slice(0, end)));
    if (end >= 0 || nextBefore === null) return { total: totals.messages, posts };
    before = `&before=${encodeURIComponent(nextBefore)}`;
  }
  throw new Error('the feed does not end');
}

export interface Health {
  readonly status: number;
  readonly retryAfter: number;
}

export async function healthOf(url: string): Promise<Health> {
  const { status, headers } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(30_000) });
  return { status, retryAfter: Number(headers.get('Retry-After') ?? 0) };
}
