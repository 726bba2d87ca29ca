import type { ThreadView, PageMessage } from './thread-view.ts';
import type { Standing } from '#workspace/work/derive-work.ts';

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
  /** Of a RESULT. */
  readonly standing?: Standing;
}

/** What later messages say of a message, besides its replies, which stand below it. */
export interface Lineage {
  /** Of a RESULT, the newer one of its writer. */
  readonly replacedBy: Referrer | undefined;
  /** RESULTs of others that say that they correct it. */
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
  for (const referrer of first.referredToBy)
    if (!onPage.has(referrer.id) && heads.get(referrer.id)?.parentId !== first.id)
      addReferrer(first.id, referrer);

  return ({ id, reviews: reviewedBy = [], because = [], correctedBy = [] }) => {
    const replacing = because.find(({ outcome }) => outcome === 'replaced')?.id ?? '';
    const known = new Set([replacing, ...[...reviewedBy, ...correctedBy].map((one) => one.id)]);
    return {
      replacedBy: heads.get(replacing),
      correctedBy: correctedBy.map((one) => ({ ...one, name: heads.get(one.id)?.name ?? null })),
      reviewedBy,
      referredToBy: (referrers.get(id) ?? []).filter((one) => !known.has(one.id)),
    };
  };
}
