import { ancestorsOf } from '#store/engine/operation.ts';
import type { Timestamp } from '#store/port/records.ts';

/** What is known of a record without its texts. Another record may name it before it arrives. */
export interface Item {
  readonly id: string;
  presence: 'awaited' | 'there' | 'erased';
  /** Also of one that is awaited: then it is hidden once it arrives. */
  isHidden: boolean;
  /** The timestamp of the hide or unhide that decides. */
  moderatedAt: Timestamp | null;
  createdAt: Timestamp;
  /** The number of its line and its place; 0 until it arrives. */
  seq: number;
  at: number;
  length: number;
  /** The post that a reply replies to, or the project of a note. */
  parent: Item | null;
  /** Of a post, the first one of its thread. */
  root: Item | null;
  prefix: string | null;
  name: string | null;
  /** The posts that a post refers to besides its parent. */
  named: readonly Item[];
  /** The visible replies to a post, or notes on a project, in the order of time. */
  replies: Item[];
  /** Of a post that begins a thread, the visible posts of the thread, in the order of time. */
  thread: Item[];
  /** The visible posts that name a post without replying to it, in the order of time. */
  namedBy: Item[];
  /** Where `WordFilters` has its words; negative without. */
  filterAt: number;
}

export function isVisible(item: Item | undefined): item is Item {
  return item?.presence === 'there' && !item.isHidden;
}

/** @returns as `Change.ancestors`, of an erased record too */
export function ancestorIds({ parent, root, named }: Item): string[] {
  const grandparent = parent?.presence === 'there' ? parent.parent : null;
  return ancestorsOf(
    parent?.id ?? null,
    grandparent?.id,
    root?.id ?? null,
    named.map(({ id }) => id),
  );
}
