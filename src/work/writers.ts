import { lookOf } from '#message/look.ts';
import { comparableName, wasKeySent, type FirstOfLook } from '#message/step.ts';

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
  /** The first message of its thread whose name looks like its name; null without a name, or if it is new. */
  readonly firstAlike: Author | null;
}

/**
 * The writers of a thread, by the marks of its messages. Equal marks prove that one key was sent. Two marks do
 * not prove that there are two parties.
 */
export class Writers {
  readonly #rootId: string;
  /** By mark, in lower case. */
  readonly #byMark = new Map<string, Writer>();
  /** By `lookOf`. */
  readonly #firstOfLook = new Map<string, Author>();

  constructor(rootId: string) {
    this.#rootId = rootId;
  }

  /** @param message later than all that were added before */
  add(message: Signed): Author {
    const { first, name } = message;
    const look = name == null ? undefined : formsOf(name).look;
    if (look === undefined) return this.#join(message, null);
    const known = this.#firstOfLook.get(look);
    if (known !== undefined) return this.#join(message, known);
    // The first message of its look may be no step.
    const earlier = first === undefined ? null : this.#join({ ...first, rootId: this.#rootId }, null);
    const author = this.#join(message, earlier);
    this.#firstOfLook.set(look, earlier ?? author);
    return author;
  }

  /** @returns the author of any message of the thread, added or not */
  of(message: Signed): Author {
    const { name, mark } = message;
    const writer = mark === undefined ? undefined : this.#byMark.get(mark.toLowerCase());
    const firstAlike = name == null ? undefined : this.#firstOfLook.get(formsOf(name).look);
    return this.#toAuthor(message, writer ?? null, firstAlike ?? null);
  }

  /** Forgets the key of a message if no other one had it. */
  forget({ mark, writer }: Author): void {
    if (writer?.isClaimed === false) this.#byMark.delete(mark?.toLowerCase() ?? '');
  }

  /** A second message with a key claims it. */
  #join(message: Signed, firstAlike: Author | null): Author {
    const key = message.mark?.toLowerCase();
    if (key === undefined) return this.#toAuthor(message, null, firstAlike);
    const known = this.#byMark.get(key);
    if (known === undefined) {
      const author = { ...this.#toAuthor(message, null, firstAlike), writer: null as Writer | null };
      author.writer = { first: author, isClaimed: wasKeySent(message.mark) };
      this.#byMark.set(key, author.writer);
      return author;
    }
    known.isClaimed = true;
    const author = this.#toAuthor(message, known, firstAlike);
    // The first message of a look is added after later messages.
    if (author.createdAt < known.first.createdAt) known.first = author;
    return author;
  }

  /** All authors of a thread have the same string as `rootId`, so that comparing two is fast. */
  #toAuthor(message: Signed, writer: Writer | null, firstAlike: Author | null): Author {
    const { id, createdAt, name = null, mark } = message;
    const comparable = name === null ? null : formsOf(name).comparable;
    return { id, rootId: this.#rootId, createdAt, name, mark, comparable, writer, firstAlike };
  }
}

interface Forms {
  readonly comparable: string | null;
  readonly look: string;
}

/** Names whose forms are kept in memory, where each takes about half a kilobyte. */
const MAX_NAMES = 10_000;

const knownForms = new Map<string, Forms>();

function formsOf(name: string): Forms {
  let forms = knownForms.get(name);
  if (forms === undefined) {
    forms = { comparable: comparableName(name), look: lookOf(name) };
    // Pages show messages that are no steps, so no window bounds their names.
    if (knownForms.size >= MAX_NAMES) knownForms.clear();
    knownForms.set(name, forms);
  }
  return forms;
}

export const isClaimed = ({ writer }: Pick<Author, 'writer'>): boolean => writer?.isClaimed === true;

/** @returns the message that owns the name of a message: the first of its look, if that is claimed */
function ownerOf(author: Author): Author | undefined {
  const first = author.firstAlike ?? author;
  return author.name !== null && isClaimed(first) ? first : undefined;
}

/** Whether the writer of a message owns its name. */
export const ownsName = (author: Author): boolean => ownerOf(author)?.writer === author.writer;

/** @returns the message of another writer that owns the name of a message */
export function namesakeOf(author: Author): Author | undefined {
  const owner = ownerOf(author);
  return owner?.writer === author.writer ? undefined : owner;
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
    namesakeOf(one) === undefined
  );
}
