import { lookOf } from '#message/look.ts';
import { comparableName, wasKeySent, type FirstOfLook } from '#message/step.ts';

/** Names whose forms are kept in memory, where each takes about half a kilobyte. */
const MAX_NAMES = 10_000;

/** The fields of a message that say who wrote it. */
export interface Signed {
  readonly id: string;
  readonly rootId: string;
  readonly createdAt: string;
  readonly name?: string | null;
  readonly mark?: string | undefined;
  /** As `Step.first`. */
  readonly first?: FirstOfLook | undefined;
}

/** Whoever sent the messages of a thread that have one key. */
interface Writer {
  /** The author of the first of these messages. */
  first: Author;
  /** Whether the key was sent, or two messages have its mark. */
  isClaimed: boolean;
}

/** Who wrote a message, as far as the service can tell. */
export interface Author extends Signed {
  /** As `comparableName`. */
  readonly comparable: string | null;
  /** Null for a message without a key. */
  readonly writer: Writer | null;
  /** The messages of its thread whose names look like its name, oldest first. */
  readonly alike: readonly Author[];
}

interface Thread {
  /** By mark, in lower case. */
  readonly writers: Map<string, Writer>;
  /** By `lookOf`. */
  readonly looks: Map<string, Author[]>;
}

/** What callers and readers see beside the name of a message. */
export interface Signature {
  /** In lower case; absent for an unclaimed message. */
  readonly mark?: string | undefined;
  /** The first message of another writer, who owns a name that looks like this one. */
  readonly namesakeOf?: string | undefined;
}

/**
 * Finds the writers of each thread by the marks of their messages. Equal marks prove that one key was sent.
 * Two marks do not prove that there are two parties.
 */
export class Authors {
  readonly #threads = new Map<string, Thread>();
  readonly #names = new Map<string, { readonly comparable: string | null; readonly look: string }>();

  /**
   * @param message later than all that were added before
   * @returns its author, and the authors of earlier messages whose writers are known from now on
   */
  add(message: Signed): { readonly author: Author; readonly changed: readonly Author[] } {
    let thread = this.#threads.get(message.rootId);
    if (thread === undefined) {
      thread = { writers: new Map(), looks: new Map() };
      this.#threads.set(message.rootId, thread);
    }
    const key = message.mark?.toLowerCase();
    const alike = alikeIn(thread, this.#lookOf(message));
    const changed: Author[] = [];
    if (message.first !== undefined && alike.length === 0)
      changed.push(...addFirst(thread, message, message.first, alike));
    const known = key === undefined ? undefined : thread.writers.get(key);
    if (known?.isClaimed === false) changed.push(...claim(known));
    const comparable = this.#comparableOf(message);
    const { id, rootId, createdAt, name = null, mark } = message;
    const author = {
      id,
      rootId,
      createdAt,
      name,
      mark,
      comparable,
      writer: known ?? null,
      alike,
    };
    if (key !== undefined && known === undefined) {
      author.writer = { first: author, isClaimed: wasKeySent(message.mark) };
      thread.writers.set(key, author.writer);
    }
    alike.push(author);
    return { author, changed };
  }

  /** @returns the author of any message, added or not */
  of(message: Signed): Author {
    const thread = this.#threads.get(message.rootId);
    const { id, rootId, createdAt, name = null, mark } = message;
    return {
      id,
      rootId,
      createdAt,
      name,
      mark,
      comparable: this.#comparableOf(message),
      writer: thread?.writers.get(mark?.toLowerCase() ?? '') ?? null,
      alike: thread?.looks.get(this.#lookOf(message) ?? '') ?? [],
    };
  }

  #comparableOf({ name }: Signed): string | null {
    return name == null ? null : this.#namesOf(name).comparable;
  }

  #lookOf({ name }: Signed): string | undefined {
    return name == null ? undefined : this.#namesOf(name).look;
  }

  #namesOf(name: string): { readonly comparable: string | null; readonly look: string } {
    let names = this.#names.get(name);
    if (names === undefined) {
      names = { comparable: comparableName(name), look: lookOf(name) };
      // Pages show messages that are no steps, so no window bounds their names.
      if (this.#names.size >= MAX_NAMES) this.#names.clear();
      this.#names.set(name, names);
    }
    return names;
  }
}

/** @returns the list of a look, to which a message is added; a new list for a message without a name */
function alikeIn({ looks }: Thread, look: string | undefined): Author[] {
  const known = look === undefined ? [] : looks.get(look);
  if (known !== undefined) return known;
  const alike: Author[] = [];
  looks.set(look ?? '', alike);
  return alike;
}

/**
 * Adds the first message of a look, which is no step, before the first step of that look.
 * @returns the authors of added messages whose writers it changes
 */
function addFirst(
  { writers, looks }: Thread,
  { rootId }: Signed,
  { id, createdAt, mark }: FirstOfLook,
  alike: Author[],
): readonly Author[] {
  const key = mark?.toLowerCase();
  const known = key === undefined ? undefined : writers.get(key);
  const author = {
    id,
    rootId,
    createdAt,
    name: null,
    mark,
    comparable: null,
    writer: known ?? null,
    alike,
  };
  alike.push(author);
  if (key === undefined) return [];
  if (known === undefined) {
    author.writer = { first: author, isClaimed: wasKeySent(mark) };
    writers.set(key, author.writer);
    return [];
  }
  const changed = known.isClaimed ? [] : claim(known);
  if (known.first.createdAt < createdAt) return changed;
  // `mayChange` compares with the time of the first message.
  known.first = author;
  return [...changed, ...[...looks.values()].flat().filter(({ writer }) => writer === known)];
}

/**
 * @returns the first message of a writer, and, if the writer owns a name, the claimed messages that look like
 *   it
 */
function claim(writer: Writer): readonly Author[] {
  writer.isClaimed = true;
  const { first } = writer;
  return first.alike[0] === first ? first.alike.filter(isClaimed) : [first];
}

export const isClaimed = ({ writer }: Pick<Author, 'writer'>): boolean => writer?.isClaimed === true;

/**
 * Whether another writer owns the name: the writer of the first message with its look, if that is claimed.
 */
export function isNamesake({ alike, writer }: Author): boolean {
  const owner = alike[0]?.writer;
  return owner?.isClaimed === true && owner !== writer;
}

export function toSignature(author: Author): Signature {
  const { mark } = author;
  const isMarked = isClaimed(author) || wasKeySent(mark);
  const [owner] = isNamesake(author) ? author.alike : [];
  return {
    ...(isMarked && { mark: mark?.toLowerCase() ?? '' }),
    ...(owner !== undefined && { namesakeOf: owner.id }),
  };
}

/** Whether one writer wrote both. A message without a name and without a claimed mark has no writer. */
export function isSameWriter(one: Author, other: Author): boolean {
  if (one.rootId !== other.rootId) return false;
  if (isClaimed(one) || isClaimed(other)) return one.writer === other.writer;
  return one.comparable !== null && one.comparable === other.comparable;
}

/**
 * Whether a message may end, replace or withdraw an earlier one of its thread. It may if one writer wrote
 * both. A claimed message may also change an unclaimed one with its name, if no other writer owns that name,
 * and if the unclaimed one came after the first message of its writer.
 */
export function mayChange(one: Author, earlier: Author): boolean {
  if (isSameWriter(one, earlier)) return true;
  return (
    one.rootId === earlier.rootId &&
    isClaimed(one) &&
    !isClaimed(earlier) &&
    one.comparable !== null &&
    one.comparable === earlier.comparable &&
    (one.writer?.first.createdAt ?? '') < earlier.createdAt &&
    !isNamesake(one)
  );
}
