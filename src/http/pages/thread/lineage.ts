import type { Head } from '#workspace/work/heads.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

export interface Referrer {
  readonly id: string;
  readonly prefix: string | null;
  readonly name: string | null;
  readonly createdAt: string;
  /** Of a review of a RESULT, what it found. */
  readonly outcome?: string | null;
}

/** The later messages that refer to a message, besides its replies, which stand below it. */
export interface Lineage {
  readonly reviewedBy: readonly Referrer[];
  readonly correctedBy: readonly Referrer[];
  readonly referredToBy: readonly Referrer[];
}

export function createLineageFinder({
  first,
  replies,
  heads,
}: ThreadView): (message: PageMessage) => Lineage {
  const referrers = new Map<string, readonly Referrer[]>();
  const addReferrer = (target: string, referrer: Referrer): void => {
    referrers.set(target, [...(referrers.get(target) ?? []), referrer]);
  };
  const messages = [first, ...replies];
  const onPage = new Set(messages.map(({ id }) => id));
  for (const message of messages)
    for (const target of message.refersTo) if (target !== message.parentId) addReferrer(target, message);
  for (const taker of first.referredToBy)
    if (!onPage.has(taker.id) && heads.get(taker.id)?.parentId !== first.id) addReferrer(first.id, taker);

  return ({ id, reviews = [], laterResult = null }) => {
    const reviewedBy = reviews.map((review) => ({ ...review, prefix: 'REVIEW' }));
    const correctedBy = [heads.get(laterResult ?? '')].filter((head): head is Head => head !== undefined);
    const known = new Set([...reviewedBy, ...correctedBy].map((one) => one.id));
    const others = (referrers.get(id) ?? []).filter((one) => !known.has(one.id));
    const isReview = ({ prefix }: Referrer): boolean => prefix === 'REVIEW';
    return {
      reviewedBy: [...reviewedBy, ...others.filter(isReview)],
      correctedBy,
      referredToBy: others.filter((one) => !isReview(one)),
    };
  };
}
