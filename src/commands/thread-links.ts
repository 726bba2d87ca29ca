import type { Post } from '#store/port/records.ts';
import type { ExportEntry } from './batch-importer.ts';

type Links = Pick<Post, 'id' | 'parentId' | 'rootId' | 'createdAt'>;

/** A line of the file with a post whose parentId and rootId contradict each other or another post. */
interface ImpossibleLink {
  readonly line: number;
  /** Follows "a post that". It repeats nothing of the line. */
  readonly fault: string;
}

/**
 * The links between posts of a thread, in the store and in the lines read so far. An unknown parent or root
 * is not a fault: it was erased, or a salvaged folder has lost it.
 */
export class ThreadLinks {
  readonly #posts = new Map<string, Links>();
  readonly #lines = new Map<number, Links>();

  /** @param line its number; undefined for an entry of the store */
  add(entry: ExportEntry, line?: number): void {
    if ('action' in entry || entry.kind !== 'post') return;
    const { id, parentId, rootId, createdAt } = entry.record as Post;
    // An import skips a record that the store has.
    if (this.#posts.has(id)) return;
    const links = { id, parentId, rootId, createdAt };
    this.#posts.set(id, links);
    if (line !== undefined) this.#lines.set(line, links);
  }

  /** Call it after the last entry, since a parent may follow its reply. */
  firstImpossible(): ImpossibleLink | undefined {
    for (const [line, links] of this.#lines) {
      const fault = this.#findFault(links);
      if (fault !== undefined) return { line, fault };
    }
    return undefined;
  }

  #findFault({ id, parentId, rootId, createdAt }: Links): string | undefined {
    if (parentId === null)
      return rootId === id ? undefined : 'has no parentId, so its rootId must be its own id';
    if (parentId === id) return 'replies to itself: its parentId is its own id';
    if (rootId === id) return 'is a reply, so its rootId must be the id of the first post of its thread';
    const parent = this.#posts.get(parentId);
    if (parent !== undefined && parent.rootId !== rootId)
      return 'replies to a post of another thread: its rootId must be that of the post with the id parentId';
    // Timestamps rise, so this also finds replies in a circle.
    if (parent !== undefined && parent.createdAt >= createdAt)
      return 'is not later than the post that it replies to: one of the two has a wrong createdAt';
    const root = this.#posts.get(rootId);
    if (root !== undefined && root.parentId !== null)
      return 'has the rootId of a reply, which begins no thread';
    return undefined;
  }
}
