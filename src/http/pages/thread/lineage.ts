import type { ThreadView } from './thread-view.ts';

/** Another message that a message refers to, or that refers to it. */
export interface Relative {
  readonly id: string;
  /** Undefined for a message that is not on the page. */
  readonly head?: {
    readonly prefix: string | null;
    readonly name: string | null;
    readonly createdAt: string;
  };
}

/** References between a message and others, besides those that nesting shows. */
export interface Lineage {
  readonly takesUp: readonly Relative[];
  readonly reviewedBy: readonly Relative[];
  readonly takenUpBy: readonly Relative[];
}

/** Creates a function that finds the lineage of a message of the page. */
export function createLineageFinder({ first, replies }: ThreadView): (id: string) => Lineage {
  const messages = new Map([first, ...replies].map((message) => [message.id, message]));
  const referrers = new Map<string, Relative[]>();
  const addReferrer = (target: string, taker: Relative): void => {
    const list = referrers.get(target);
    if (list === undefined) referrers.set(target, [taker]);
    else list.push(taker);
  };
  for (const message of messages.values())
    for (const target of message.takesUp)
      if (target !== message.parentId) addReferrer(target, { id: message.id, head: message });
  for (const taker of first.takenUpBy)
    if (!messages.has(taker.id)) addReferrer(first.id, { id: taker.id, head: taker });

  return (id) => {
    const message = messages.get(id);
    const all = referrers.get(id) ?? [];
    const isReview = ({ head }: Relative): boolean => head?.prefix === 'REVIEW';
    return {
      takesUp: (message?.takesUp ?? [])
        .filter((target) => target !== message?.parentId)
        .map((target) => {
          const head = messages.get(target);
          return head === undefined ? { id: target } : { id: target, head };
        }),
      reviewedBy: all.filter(isReview),
      takenUpBy: all.filter((one) => !isReview(one)),
    };
  };
}
