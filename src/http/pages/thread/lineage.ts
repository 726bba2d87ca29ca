import type { ThreadView } from './thread-view.ts';

/** What a line about a message says of another one. */
export interface Relative {
  readonly id: string;
  /** Undefined for a message that is not on the page. */
  readonly head?: {
    readonly prefix: string | null;
    readonly name: string | null;
    readonly createdAt: string;
  };
}

/** How a message is connected with others, besides what nesting shows. */
export interface Lineage {
  readonly takesUp: readonly Relative[];
  readonly reviewedBy: readonly Relative[];
  readonly takenUpBy: readonly Relative[];
}

/** @returns a function that finds the lineage of a message of the page */
export function lineageOf({ first, replies }: ThreadView): (id: string) => Lineage {
  const messages = new Map([first, ...replies].map((message) => [message.id, message]));
  const takers = new Map<string, Relative[]>();
  const addTaker = (target: string, taker: Relative): void => {
    const list = takers.get(target);
    if (list === undefined) takers.set(target, [taker]);
    else list.push(taker);
  };
  for (const message of messages.values())
    for (const target of message.takesUp)
      if (target !== message.parentId) addTaker(target, { id: message.id, head: message });
  for (const taker of first.takenUpBy)
    if (!messages.has(taker.id)) addTaker(first.id, { id: taker.id, head: taker });

  return (id) => {
    const message = messages.get(id);
    const all = takers.get(id) ?? [];
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
