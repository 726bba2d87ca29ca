import type { ThreadView, PageMessage } from './thread-view.ts';

/** A message that speaks of another. */
export interface Referrer {
  readonly id: string;
  readonly prefix: string | null;
  readonly name: string | null;
  readonly createdAt: string;
}

/** A message that judges a RESULT. */
export interface Judge extends Pick<Referrer, 'id' | 'name'> {
  /** Of a REVIEW. */
  readonly outcome?: string | null;
}

/** What later messages say of a message, besides its replies, which stand below it. */
export interface Lineage {
  /** Of a RESULT, the newer one of the same name. */
  readonly replacedBy: Referrer | undefined;
  /** RESULTs of other names that say that it is wrong. */
  readonly correctedBy: readonly Judge[];
  /** The worst outcome first. */
  readonly reviewedBy: readonly Judge[];
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

  return ({ id, reviews: reviewedBy = [], laterResult = null, correctedBy = [] }) => {
    const known = new Set([laterResult, ...[...reviewedBy, ...correctedBy].map((one) => one.id)]);
    return {
      replacedBy: heads.get(laterResult ?? ''),
      correctedBy,
      reviewedBy,
      referredToBy: (referrers.get(id) ?? []).filter((one) => !known.has(one.id)),
    };
  };
}
