import type { RecordView, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { textLength, type Page } from '#workspace/reading/page.ts';

/** JSON bytes of the notes of one result. With the project and the notice, the result stays under 8 MiB. */
const MAX_NOTES_BYTES = 8 * 1024 * 1024 - 64 * 1024;

/** Notes of one read of the store. */
const CHUNK_SIZE = 1000;

interface NotesQuery {
  readonly projectId: string;
  /** Undefined: as many as fit. */
  readonly limit: number | undefined;
  /** Exclusive. */
  readonly after: Timestamp | undefined;
}

/**
 * Reads the notes of a project, oldest first, up to the limit, the caller's text budget or 8 MiB of JSON. It
 * reads in chunks, since most results end long before the last note of a large project.
 */
export async function readNotes(
  read: Reader,
  { projectId, limit = Infinity, after }: NotesQuery,
  { textBudget }: TextLimit,
): Promise<Page<'note'>> {
  const items: RecordView<'note'>[] = [];
  let cursor = after;
  let bytes = 0;
  let characters = 0;
  for (;;) {
    const size = Math.min(CHUNK_SIZE, limit - items.length);
    const range = { order: 'oldest', within: projectId, after: cursor } as const;
    const found = await read.page('note', { ...range, limit: size + 1 });
    for (const [index, note] of found.slice(0, size).entries()) {
      bytes += Buffer.byteLength(JSON.stringify(note.record)) + 1;
      if (bytes > MAX_NOTES_BYTES) return { items, next: cursor ?? null };
      items.push(note);
      cursor = note.record.createdAt;
      if (textBudget === undefined) continue;
      characters += textLength('note', note.record);
      const isLast = index === found.length - 1;
      if (characters >= textBudget) return { items, next: isLast ? null : cursor };
    }
    if (found.length <= size) return { items, next: null };
    if (items.length === limit) return { items, next: cursor ?? null };
  }
}
