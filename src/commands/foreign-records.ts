import { hash } from 'node:crypto';
import type { ExportedRecord, Post } from '#store/port/records.ts';
import { toExportedFields } from '#workspace/log/export-format.ts';
import type { ExportEntry } from './import-entries.ts';

type Links = Pick<Post, 'id' | 'parentId' | 'rootId' | 'createdAt'>;

interface ForeignFault {
  readonly line: number;
  /** The rest of a sentence that begins with the place of the line. It quotes nothing from the line. */
  readonly fault: string;
}

/**
 * Checks that the ids and timestamps of foreign records and of those of the store are unique, and that the
 * links of each thread are consistent. A parent or root may be unknown, since an erase or a salvage may have
 * removed it.
 */
export class ForeignRecords {
  readonly #digests = new Map<string, string>();
  readonly #idsByStamp = new Map<string, string>();
  readonly #posts = new Map<string, Links>();
  readonly #postOfLine = new Map<number, Links>();
  #fault: ForeignFault | undefined;

  /** @param line its number; undefined for an entry of the store */
  add(entry: ExportEntry, line?: number): void {
    if ('action' in entry) return;
    const { id, createdAt } = entry.record;
    const stamp = `${entry.kind} ${createdAt}`;
    const owner = this.#idsByStamp.get(stamp) ?? id;
    this.#idsByStamp.set(stamp, owner);
    if (owner !== id && line !== undefined)
      this.#fault ??= { line, fault: 'has the createdAt of another record' };
    const content = digest(entry);
    const known = this.#digests.get(id) ?? content;
    this.#digests.set(id, known);
    if (known !== content && line !== undefined)
      this.#fault ??= { line, fault: 'has the id of another record, with other contents' };
    // An import skips a record that the store has.
    if (entry.kind !== 'post' || this.#posts.has(id)) return;
    const { parentId, rootId } = entry.record as Post;
    const links = { id, parentId, rootId, createdAt };
    this.#posts.set(id, links);
    if (line !== undefined) this.#postOfLine.set(line, links);
  }

  /** Must be called after the last entry, since a parent may follow its reply. */
  firstFault(): ForeignFault | undefined {
    if (this.#fault !== undefined) return this.#fault;
    for (const [line, links] of this.#postOfLine) {
      const fault = this.#findFault(links);
      if (fault !== undefined) return { line, fault: `is a post that ${fault}` };
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

export function digest(added: ExportedRecord): string {
  return hash('sha256', JSON.stringify(toExportedFields(added)), 'hex').slice(0, 16);
}
