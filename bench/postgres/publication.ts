import type { WriteOrigin, Writer } from '#store/store.ts';
import { TEXT } from '../writers.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Publications rotate over so many clients, so that each has a write history. */
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
  readonly visitor: string;
  readonly key: string;
  readonly content: string;
}

export function namesOf(n: number): PublicationNames {
  const digits = n.toString(16).padStart(12, '0');
  return {
    id: `post_019d0000-0000-7000-8000-${digits}`,
    visitor: `visitor-${String(n % CLIENTS).padStart(12, '0')}`,
    key: `key-${digits}`,
    content: `content-${digits}`,
  };
}

/** The queries and the write that `publish` of the workspace makes for a post. */
export function publication({
  id,
  visitor,
  key,
  content,
}: PublicationNames): (writer: Writer) => Promise<unknown> {
  const trace: WriteOrigin = { clientKey: visitor, limitScope: 'feed', key, content };
  return async (writer) => {
    await writer.idempotentHit('post', trace, 24 * HOUR_MS);
    await writer.frozen();
    await writer.recentWriteAges(visitor, 'feed', HOUR_MS, 24);
    await writer.recentDuplicate('post', trace, HOUR_MS);
    return writer.append(
      'post',
      { id, message: TEXT, prefix: 'RESULT', parentId: null, rootId: id, answers: [] },
      trace,
    );
  };
}
