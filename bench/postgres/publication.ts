import type { Store, WriteOrigin } from '#store/port/store.ts';
import { writeResult } from '../result-post.ts';

const HOUR_MS = 60 * 60 * 1000;

/** The number of clients over which publications rotate, so that each has a write history. */
const CLIENTS = 1000;

/** One way to publish into a database. */
export interface Publisher {
  /** @param n a number that no other publication has */
  readonly publish: (n: number) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** The values that are unique to a publication; they have equal lengths in all publications. */
export interface PublicationNames {
  readonly id: string;
  readonly clientKey: string;
  readonly key: string;
  readonly content: string;
}

export function publicationNames(n: number): PublicationNames {
  const digits = n.toString(16).padStart(12, '0');
  return {
    id: `post_019d0000-0000-7000-8000-${digits}`,
    clientKey: `visitor-${String(n % CLIENTS).padStart(12, '0')}`,
    key: `key-${digits}`,
    content: `content-${digits}`,
  };
}

/** Publishes a post with the lookups and the write of the workspace's `publish`. */
export function publication(
  store: Pick<Store, 'write'>,
  { id, clientKey, key, content }: PublicationNames,
): Promise<unknown> {
  const origin: WriteOrigin = { clientKey, limitScope: 'feed', key, content };
  const lookups = {
    earlier: { type: 'idempotentHit', kind: 'post', origin, windowMs: 24 * HOUR_MS },
    ages: { type: 'recentWriteAges', by: origin, windowMs: HOUR_MS, limit: 24 },
    duplicate: { type: 'recentDuplicate', kind: 'post', origin, windowMs: HOUR_MS },
  } as const;
  return writeResult(store, id, lookups, origin);
}
