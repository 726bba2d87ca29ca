import type { Receipt } from './publish.ts';

export interface Post extends Receipt {
  readonly message: string;
}

export interface Feed {
  readonly total: number;
  readonly posts: readonly Post[];
}

interface Page {
  readonly nextBefore: string | null;
  readonly totals: { readonly messages: number };
  readonly messages: readonly Post[];
}

const MAX_PAGES = 10_000;

/** Retries once, since a keep-alive connection may have been closed. */
async function getJson<Body>(url: string): Promise<Body> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
      if (!response.ok) throw new Error(`GET ${url}: ${response.status}`);
      return (await response.json()) as Body;
    } catch (error) {
      if (attempt === 2) throw error;
    }
  }
}

/**
 * Reads the feed page by page, newest first.
 * @param known stops at the first post for which it returns true
 */
export async function readFeed(
  url: string,
  known: (id: string) => boolean = () => false,
  limit = 100,
): Promise<Feed> {
  const posts: Post[] = [];
  let before = '';
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { nextBefore, totals, messages } = await getJson<Page>(`${url}/api/feed?limit=${limit}${before}`);
    const end = messages.findIndex(({ id }) => known(id));
    posts.push(...(end < 0 ? messages : messages.slice(0, end)));
    if (end >= 0 || nextBefore === null) return { total: totals.messages, posts };
    before = `&before=${encodeURIComponent(nextBefore)}`;
  }
  throw new Error('the feed has more than MAX_PAGES pages');
}

export interface Health {
  readonly status: number;
  readonly retryAfter: number;
}

export async function healthOf(url: string): Promise<Health> {
  const { status, headers } = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(30_000) });
  return { status, retryAfter: Number(headers.get('Retry-After') ?? 0) };
}
