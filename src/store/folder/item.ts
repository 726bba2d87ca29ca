import type { Lineage } from '#store/engine/operation.ts';
import type { PostHead } from '#store/port/pages.ts';
import type { Timestamp } from '#store/port/records.ts';

/** A record without its texts. It also exists while other records name it and it has not arrived. */
export interface Item {
  readonly id: string;
  presence: 'awaited' | 'there' | 'erased';
  /** For a record that has not arrived: whether it will be hidden. */
  isHidden: boolean;
  /** The timestamp of the hide or unhide that decides whether it is hidden. */
  moderatedAt: Timestamp | null;
  createdAt: Timestamp;
  /** The number of its line, and where that stands; 0 until it arrives. */
  seq: number;
  offset: number;
  length: number;
  parent: Item | null;
  /** For a post, the first post of its thread. */
  root: Item | null;
  prefix: string | null;
  name: string | null;
  /** By `toSigner`. */
  signer: string | null;
  /** The posts that a post refers to besides its parent. */
  named: readonly Item[];
  /** The visible replies to a post, or notes on a project, in the order of time. */
  replies: Item[];
  /** For a post that begins a thread, the visible posts of the thread, in the order of time. */
  thread: Item[];
  /** The visible posts that name a post without replying to it, in the order of time. */
  namedBy: Item[];
  /** Where `WordFilters` has the filter of its words; negative without one. */
  filterOffset: number;
}

export function isVisible(item: Item | undefined): item is Item {
  return item?.presence === 'there' && !item.isHidden;
}

/** @param item of a record that may be erased */
export function lineageOf({ parent, root, named }: Item): Lineage {
  const grandparent = parent?.presence === 'there' ? parent.parent : null;
  return {
    parentId: parent?.id ?? null,
    grandparentId: grandparent?.id ?? null,
    rootId: root?.id ?? null,
    named: named.map(({ id }) => id),
  };
}

export function toPostHead({ id, prefix, name, signer, createdAt }: Item): PostHead {
  return { id, prefix, name, mark: signer, createdAt };
}
