import type { WriteOrigin, Writer } from '#store/store.ts';
import { TEXT } from '../writers.ts';

const HOUR_MS = 60 * 60 * 1000;

/** So many visitors take turns, each with a past that the store looks at. */
const VISITORS = 1000;

/** Who publishes into a database, in one way. */
export interface Scribe {
  /** @param n another one each time */
  readonly write: (n: number) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

/** What tells one publication from all others; each as long as that of any other. */
export interface Names {
  readonly id: string;
  readonly visitor: string;
  readonly key: string;
  readonly content: string;
}

export function namesOf(n: number): Names {
  const digits = n.toString(16).padStart(12, '0');
  return {
    id: `post_019d0000-0000-7000-8000-${digits}`,
    visitor: `visitor-${String(n % VISITORS).padStart(12, '0')}`,
    key: `key-${digits}`,
    content: `content-${digits}`,
  };
}

/** Asks and does what `publish` of the workspace does for a post. */
export function publication({ id, visitor, key, content }: Names): (writer: Writer) => Promise<unknown> {
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
