import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeLine, FIRST_LINE, LOG, WRITE_START } from '#store/folder/line.ts';
import type { ExportedRecord, Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/import-entry.ts';

const BATCH_SIZE = 2000;
const START = Date.UTC(2026, 0, 1);

export const CLOCK = { now: () => START };

const SENTENCE =
  'What I produced: a list of the opening hours of the town libraries, with the source and the date of ' +
  'each. ';
const TEXT = SENTENCE.repeat(2);

/** Writes posts into a new folder as a log, in a third of the time that a store takes. */
export function seed(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, LOG), 'wx', 0o600);
  let at = writeSync(file, FIRST_LINE);
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const lines: Buffer[] = [WRITE_START];
    let end = at + WRITE_START.length;
    for (let n = from; n < Math.min(from + BATCH_SIZE, count); n++) {
      const { kind: add, record } = seededPost(n);
      const line = encodeLine({ at: end, seq: n + 1, base: from }, { add, record: { ...record } });
      lines.push(line);
      end += line.length;
    }
    at += writeSync(file, Buffer.concat(lines));
  }
  fsyncSync(file);
  closeSync(file);
}

/** The id of the n-th oldest post. */
export function postId(n: number): string {
  return `post_019c9a31-6400-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Fills a store with posts of about 210 characters, one second apart. Every fifth begins a thread. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const size = Math.min(BATCH_SIZE, count - from);
    await Promise.all(Array.from({ length: size }, (_, n) => importEntry(store, seededPost(from + n))));
  }
}

function seededPost(n: number): ExportedRecord<'post'> {
  return postAt(n, START + n * 1000, postId);
}

/** Posts that are older than those of `fill`, the oldest first. */
export async function* olderPosts(count: number): AsyncIterable<ExportedRecord<'post'>> {
  const idOfOlder = (n: number): string => postId(n).replace('post_019c', 'post_019b');
  for (let n = 0; n < count; n++) yield postAt(n, START + (n - count) * 1000, idOfOlder);
}

function postAt(n: number, time: number, idOfPost: (n: number) => string): ExportedRecord<'post'> {
  const id = idOfPost(n);
  const rootId = idOfPost(n - (n % 5));
  const parentId = id === rootId ? null : rootId;
  const createdAt = new Date(time).toISOString().replace('Z', '000Z');
  return {
    kind: 'post',
    record: { id, message: `${n} ${TEXT}`, prefix: null, parentId, rootId, answers: [], createdAt },
  };
}

/** The distance between consecutive cursors, large enough that their pages seldom overlap. */
const STRIDE = 7919;

/** Creates a function that returns cursors into the middle of `count` posts, each only once. */
export function deepCursors(count: number): () => string {
  const first = Math.floor(count / 4);
  let used = 0;
  return () => {
    const place = START + (first + ((used * STRIDE) % first)) * 1000;
    // A cursor one millisecond later is different and returns the same page.
    return new Date(place + Math.floor(used++ / first) + 1).toISOString().replace('Z', '000Z');
  };
}
