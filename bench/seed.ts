import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBody } from '#store/jsonl/log/codec.ts';
import { encodeLine, FORMAT, headerLine, WRITE_START } from '#store/jsonl/log/line.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { segmentName } from '#store/jsonl/log/segment-names.ts';
import type { ExportedRecord, Store } from '#store/port/store.ts';
import { importEntry } from '#workspace/import-entry.ts';

const BATCH_SIZE = 2000;
const START = Date.UTC(2026, 0, 1);

export const CLOCK = { now: () => START };

/** The checksum seed of a seeded log. */
const CHECKSUM_SEED = 2026;

const SENTENCE =
  'What I produced: a list of the opening hours of the town libraries, with the source and the date of ' +
  'each. ';
const TEXT = SENTENCE.repeat(2);

/**
 * Writes posts into a new folder as a log, in a third of the time that a store takes.
 * @param postAtIndex returns the n-th oldest post; by default a post of `fill`
 */
export function seed(
  folder: string,
  count: number,
  postAtIndex: (n: number) => ExportedRecord<'post'> = seededPost,
): void {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, segmentName(1)), 'wx', 0o600);
  let at = 0;
  const write = (...lines: readonly Buffer[]): void => {
    const bytes = Buffer.concat(lines);
    at += writeSync(file, bytes);
  };
  write(headerLine({ format: FORMAT, number: 1, from: 1, upto: 0, seed: CHECKSUM_SEED }));
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const lines: Buffer[] = [WRITE_START];
    let end = at + WRITE_START.length;
    for (let n = from; n < Math.min(from + BATCH_SIZE, count); n++) {
      const { kind: add, record } = postAtIndex(n);
      const body = encodeBody({ add, record: { ...record } });
      const line = encodeLine({ at: end, seq: n + 1, base: from }, body, CHECKSUM_SEED);
      lines.push(line);
      end += line.length;
    }
    write(...lines);
  }
  const proof = { at: at + WRITE_START.length, seq: count, base: count };
  write(WRITE_START, encodeLine(proof, '"proof":1', CHECKSUM_SEED));
  fsyncSync(file);
  closeSync(file);
}

/** Writes the snapshot of a folder that a stopping server would write. */
export async function writeSnapshot(folder: string): Promise<void> {
  const options = { folder, clock: CLOCK, report: () => undefined, writesSnapshot: true };
  await (await openFolderStore(options)).close();
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

/** Fills a store with `count` first posts that have the same text. */
export async function fillWith(store: Store, count: number, message: string): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { kind, record } = seededPost(n, postId(n));
    await importEntry(store, { kind, record: { ...record, message } });
  }
}

/** Adds `count` replies to the oldest post of a store that `fill` has filled. @param stored its posts */
export async function fillThread(store: Store, stored: number, count: number): Promise<void> {
  const replies = Array.from({ length: count }, (_, n) =>
    importEntry(store, seededPost(stored + n, postId(0))),
  );
  await Promise.all(replies);
}

function seededPost(n: number, rootId?: string): ExportedRecord<'post'> {
  return postAt(n, START + n * 1000, postId, rootId);
}

/** Posts that are older than those of `fill`, the oldest first. */
export async function* olderPosts(count: number): AsyncIterable<ExportedRecord<'post'>> {
  const idOfOlder = (n: number): string => postId(n).replace('post_019c', 'post_019b');
  for (let n = 0; n < count; n++) yield postAt(n, START + (n - count) * 1000, idOfOlder);
}

function postAt(
  n: number,
  time: number,
  idOfPost: (n: number) => string,
  givenRoot?: string,
): ExportedRecord<'post'> {
  const id = idOfPost(n);
  const rootId = givenRoot ?? idOfPost(n - (n % 5));
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
