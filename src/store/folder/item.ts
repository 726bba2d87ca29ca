import type { Lineage } from '#store/engine/operation.ts';
import type { PostHead } from '#store/port/pages.ts';
import type { Timestamp } from '#store/port/records.ts';

const NONE: Item[] = [];

/** A record without its texts. An item also exists for a record that others name before it arrives. */
export class Item {
  readonly id: string;
  presence: 'awaited' | 'there' | 'erased' = 'awaited';
  /** For a record that has not arrived: whether it will be hidden. */
  isHidden = false;
  /** The timestamp of the hide or unhide that decides whether it is hidden. */
  moderatedAt: Timestamp | null = null;
  createdAt: Timestamp = '';
  /** The number of its line, which stands at `offset`. 0 until it arrives. */
  seq = 0;
  offset = 0;
  length = 0;
  parent: Item | null = null;
  /** For a post, the first post of its thread. */
  root: Item | null = null;
  prefix: string | null = null;
  name: string | null = null;
  /** By `toSigner`. */
  signer: string | null = null;
  /** The posts that a post refers to besides its parent. */
  named: readonly Item[] = NONE;
  /** The visible replies to a post, or notes on a project, in the order of time. */
  replies = NONE;
  /** For a post that begins a thread, the visible posts of the thread, in the order of time. */
  thread = NONE;
  /** The visible posts that name a post without replying to it, in the order of time. */
  namedBy = NONE;
  /** The place of its filter in `WordFilters`; negative if it has none. */
  filterOffset = -1;

  constructor(id: string) {
    this.id = id;
  }
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
