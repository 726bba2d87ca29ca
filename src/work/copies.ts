import { compareSketches, MIN_COMPARED, parseSketch, type Overlap } from '#message/sketch.ts';
import type { Step } from '#message/step.ts';

/** How many of the smallest hashes of a text are indexed. */
const MAX_HASHES = 16;
/** How many of the oldest texts with the same hash or first line are compared with later texts. */
const MAX_KEPT = 20;

/** The older message that a message is nearly a copy of; `equal` is 0 if only their first lines are equal. */
export interface CopyOf extends Overlap {
  readonly id: string;
}

/** A text to compare with others. */
interface Text {
  readonly step: Step;
  /** The hashes of its sketch. */
  readonly hashes: Uint32Array;
  /** The indexed hashes. A text with fewer than `MIN_COMPARED` lines has none. */
  readonly smallest: Uint32Array;
  /** The oldest similar text that is not a copy itself. */
  original: Text | null;
  /** Whether it may repeat the lines of the original, and so is not a copy. */
  mayShareLines: boolean;
  /** The texts of which it is the original; undefined before the first one. */
  copies: Set<Text> | undefined;
}

/**
 * Finds near-copies among texts. A text is nearly a copy of the oldest text that `compareSketches` finds
 * similar and that is not a copy itself, unless it may repeat the lines of that text. It is compared with the
 * oldest texts that share one of its smallest hashes. The copies depend only on the texts present, not on the
 * order in which they were added and removed.
 * @example
 *   copies.add(idea); // older
 *   copies.add(other);
 *   copies.copyOf(other.id); // { id: idea.id, equal: 9, of: 10 }
 */
export class Copies {
  readonly #mayShareLines: (later: Step, earlier: Step) => boolean;
  readonly #texts = new Map<string, Text>();
  /** Oldest first. */
  readonly #byHash = new Map<number, Text[]>();
  /** Oldest first. */
  readonly #byFirstLine = new Map<string, Text[]>();

  /** @param mayShareLines whether the later of two messages may have the lines of the earlier one */
  constructor(mayShareLines: (later: Step, earlier: Step) => boolean) {
    this.#mayShareLines = mayShareLines;
  }

  /**
   * @param step with a sketch
   * @returns the ids of the messages that have become copies, or are no longer copies
   */
  add(step: Step): string[] {
    const hashes = parseSketch(step.sketch ?? '');
    const smallest = hashes.subarray(0, hashes.length < MIN_COMPARED ? 0 : MAX_HASHES);
    const text: Text = { step, hashes, smallest, original: null, mayShareLines: false, copies: undefined };
    this.#texts.set(step.id, text);
    if (step.firstLine !== undefined) insert(this.#byFirstLine, step.firstLine, text);
    const stale = new Set([text]);
    for (const hash of text.smallest) {
      const pushedOut = insert(this.#byHash, hash, text)[MAX_KEPT];
      if (pushedOut === undefined || isOlder(pushedOut, text)) continue;
      for (const copy of pushedOut.copies ?? []) stale.add(copy);
    }
    this.#findLater(text, stale);
    return this.#decide(stale);
  }

  /** @returns the ids of the messages that have become copies, or are no longer copies */
  remove(id: string): string[] {
    const text = this.#texts.get(id);
    if (text === undefined) return [];
    this.#texts.delete(id);
    text.original?.copies?.delete(text);
    if (text.step.firstLine !== undefined) remove(this.#byFirstLine, text.step.firstLine, text);
    const stale = new Set(text.copies);
    const movedUp = new Set<Text>();
    for (const hash of text.smallest) {
      const next = this.#byHash.get(hash)?.[MAX_KEPT];
      if (next !== undefined && isOlder(text, next)) movedUp.add(next);
      remove(this.#byHash, hash, text);
    }
    for (const one of movedUp) this.#findLater(one, stale);
    return this.#decide(stale);
  }

  /**
   * Decides again whether a message is a copy, after `mayShareLines` has changed for it.
   * @returns the ids of the messages that have become copies, or are no longer copies
   */
  decide(id: string): string[] {
    const text = this.#texts.get(id);
    return text === undefined ? [] : this.#decide(new Set([text]));
  }

  /** Whether a message is nearly a copy. The same first line alone does not make it one. */
  isCopy(id: string): boolean {
    const text = this.#texts.get(id);
    return text !== undefined && isCopyNow(text);
  }

  /** @returns what a message is nearly a copy of; undefined if only their first lines are equal */
  originalOf(id: string): Step | undefined {
    const text = this.#texts.get(id);
    return text === undefined || text.mayShareLines ? undefined : text.original?.step;
  }

  /** @returns what a message is nearly a copy of */
  copyOf(id: string): CopyOf | undefined {
    const text = this.#texts.get(id);
    if (text === undefined) return undefined;
    const { original, step, hashes } = text;
    if (original !== null) {
      const overlap = text.mayShareLines ? null : compareSketches(hashes, original.hashes);
      return overlap === null ? undefined : { id: original.step.id, ...overlap };
    }
    const sameFirst = this.#byFirstLine.get(step.firstLine ?? '')?.slice(0, MAX_KEPT) ?? [];
    const first = sameFirst.find((one) => !isCopyNow(one) && isOlder(one, text));
    if (first === undefined || this.#mayShareLines(step, first.step)) return undefined;
    return { id: first.step.id, equal: 0, of: hashes.length };
  }

  /** @returns the near-copies of a message, oldest first */
  copiesOf(id: string): Step[] {
    const copies = [...(this.#texts.get(id)?.copies ?? [])].filter(isCopyNow).map(({ step }) => step);
    return copies.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  }

  /** Adds the later texts whose decision depends on whether a text is present and is not a copy. */
  #findLater(text: Text, stale: Set<Text>): void {
    // Two texts may share many hashes.
    const examined = new Set<Text>();
    for (const hash of text.smallest) {
      const list = this.#byHash.get(hash) ?? [];
      const index = list.lastIndexOf(text, MAX_KEPT - 1);
      for (const later of index < 0 ? [] : list.slice(index + 1)) {
        const hasOlder = later.original !== null && isOlder(later.original, text);
        if (hasOlder || stale.has(later) || examined.has(later)) continue;
        examined.add(later);
        if (isLike(later, text)) stale.add(later);
      }
    }
  }

  /** Decides the oldest texts first, and then the texts that depend on them. */
  #decide(stale: Set<Text>): string[] {
    const changed: string[] = [];
    const open = [...stale].sort((a, b) => (isOlder(a, b) ? -1 : 1));
    // The set grows while it is read.
    for (const text of open) {
      const wasCopy = isCopyNow(text);
      text.original?.copies?.delete(text);
      text.original = this.#findOriginal(text);
      if (text.original !== null) (text.original.copies ??= new Set()).add(text);
      text.mayShareLines = text.original !== null && this.#mayShareLines(text.step, text.original.step);
      if (isCopyNow(text) === wasCopy) continue;
      changed.push(text.step.id);
      const later = new Set<Text>();
      this.#findLater(text, later);
      for (const one of later) {
        if (stale.has(one)) continue;
        stale.add(one);
        open.splice(open.findLastIndex((other) => isOlder(other, one)) + 1, 0, one);
      }
    }
    return changed;
  }

  #findOriginal(text: Text): Text | null {
    let found: Text | null = null;
    // Usually undefined, because most texts are like the first one that is compared.
    let examined: Set<Text> | undefined;
    for (const hash of text.smallest) {
      const list = this.#byHash.get(hash) ?? [];
      for (let index = 0; index < MAX_KEPT; index++) {
        const one = list[index];
        if (one === undefined || one === found || !isOlder(one, found ?? text)) break;
        if (isCopyNow(one) || examined?.has(one)) continue;
        if (isLike(text, one)) found = one;
        else (examined ??= new Set()).add(one);
      }
    }
    return found;
  }
}

/**
 * Whether a message is compared with those of other threads: it is the first in its thread, and an IDEA or
 * signed.
 * @example
 *   isComparedFirst(step); // true of "IDEA: x" without a key, and of "hello" with one
 */
export const isComparedFirst = ({ id, rootId, mark, prefix, sketch }: Step): boolean =>
  id === rootId && sketch !== undefined && (mark !== undefined || prefix !== 'RESULT');

const isCopyNow = ({ original, mayShareLines }: Text): boolean => original !== null && !mayShareLines;

const isOlder = (one: Text, other: Text): boolean => one.step.createdAt < other.step.createdAt;

const isLike = (later: Text, earlier: Text): boolean =>
  compareSketches(later.hashes, earlier.hashes) !== null;

/** Inserts a text into the list of a key, in the order of time. @returns the list */
function insert<Key>(lists: Map<Key, Text[]>, key: Key, text: Text): Text[] {
  const list = lists.get(key);
  if (list === undefined) {
    const created = [text];
    lists.set(key, created);
    return created;
  }
  list.splice(list.findLastIndex((one) => isOlder(one, text)) + 1, 0, text);
  return list;
}

function remove<Key>(lists: Map<Key, Text[]>, key: Key, text: Text): void {
  const list = lists.get(key) ?? [];
  list.splice(list.indexOf(text), 1);
  if (list.length === 0) lists.delete(key);
}
