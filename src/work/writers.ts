import { lookOf } from '#message/look.ts';
import { toSigner, comparableName } from '#message/step.ts';

/** The fields of a message that say who wrote it. */
export interface Signed {
  readonly id: string;
  readonly rootId: string;
  readonly createdAt: string;
  /** The name that readers see, as in a step. */
  readonly name?: string | null;
  readonly heldName?: string | undefined;
  readonly isHeld?: true;
  readonly mark?: string | undefined;
}

/** The holder of one key in a thread. */
export interface Writer {
  /** In lower case. */
  readonly signer: string;
  /** The first and the last message that this key has signed in the thread. */
  first: Author;
  last: Author;
}

/** A name as readers see it, and who has signed with it in a thread. */
export interface Look {
  /** Two names with the same look count as one name in a thread. */
  readonly look: string;
  /** How many messages have it. */
  count: number;
  /** For each key with the look, the first message with both. */
  readonly signers: Map<Writer, Author>;
}

/** The author of one message. Messages that were sent with one key have the same `writer`. */
export interface Author extends Omit<Signed, 'mark' | 'heldName'> {
  readonly signer?: string | undefined;
  /** The name in NFKC, without case and blanks; null if nothing is left. */
  readonly normalizedName: string | null;
  /** Null for a message without a key. */
  readonly writer: Writer | null;
  /** Null for a message without a name, or with a name that no added message has. */
  readonly look: Look | null;
  /** The next message of its writer in the thread. */
  next: Author | undefined;
}

/**
 * The writers of a thread, by the signers of its messages. Equal signers prove that the same key was sent.
 * Two signers do not prove that there are two parties, and a name alone proves nothing.
 */
export class Writers {
  readonly #rootId: string;
  /** By signer, in lower case. */
  readonly #bySigner = new Map<string, Writer>();
  /** By `lookOf`. */
  readonly #looks = new Map<string, Look>();

  constructor(rootId: string) {
    this.#rootId = rootId;
  }

  add(message: Signed): Author {
    const look = this.#lookOf(message);
    const author = this.#toAuthor(message, null, look) as Author & { writer: Author['writer'] };
    if (look !== null) look.count += 1;
    const { signer } = author;
    if (signer === undefined) return author;
    const before = this.#bySigner.get(signer);
    const writer = before ?? { signer, first: author, last: author };
    author.writer = writer;
    if (before === undefined) this.#bySigner.set(signer, writer);
    else insert(author, before);
    const first = look?.signers.get(writer);
    if (first === undefined || author.createdAt < first.createdAt) look?.signers.set(writer, author);
    return author;
  }

  /**
   * Removes a message. Its writer and its look are removed with their last message.
   *
   *     #1 Ann, #2 Ann; #1 goes       #2 is the first message of Ann
   *     #1 Ann, #2 Bob; #1 goes       no one is called Ann
   */
  remove(author: Author): void {
    const { look, writer, next } = author;
    if (look !== null) {
      look.count -= 1;
      if (look.count === 0) this.#looks.delete(look.look);
    }
    if (writer === null) return;
    if (look?.signers.get(writer) === author) {
      const later = next && findMessage(next, (one) => one.look === look);
      if (later === undefined) look.signers.delete(writer);
      else look.signers.set(writer, later);
    }
    if (writer.first !== author) {
      const before = findMessage(writer.first, (one) => one.next === author) ?? writer.first;
      before.next = next;
      if (next === undefined) writer.last = before;
    } else if (next === undefined) this.#bySigner.delete(writer.signer);
    else writer.first = next;
  }

  /** @returns the author of any message of the thread, added or not */
  authorOf(message: Signed): Author {
    const writer = this.withSigner(message.mark ?? '');
    const name = signedName(message);
    const look = name === null ? null : this.#looks.get(formsOf(name).look);
    return this.#toAuthor(message, writer ?? null, look ?? null);
  }

  /** @param signer in any case */
  withSigner(signer: string): Writer | undefined {
    return this.#bySigner.get(toSigner(signer));
  }

  #lookOf(message: Signed): Look | null {
    const name = signedName(message);
    if (name === null) return null;
    const { look } = formsOf(name);
    let existing = this.#looks.get(look);
    if (existing === undefined)
      this.#looks.set(look, (existing = { look, count: 0, signers: new Map<Writer, Author>() }));
    return existing;
  }

  /** All authors of a thread share one string as `rootId`, which makes comparing two fast. */
  #toAuthor(message: Signed, writer: Writer | null, look: Look | null): Author {
    const { id, createdAt, name = null, isHeld } = message;
    const signed = signedName(message);
    const normalizedName = signed === null ? null : formsOf(signed).normalizedName;
    return {
      id,
      rootId: this.#rootId,
      createdAt,
      name,
      ...(isHeld && { isHeld }),
      signer: message.mark && toSigner(message.mark),
      normalizedName,
      writer,
      look,
      next: undefined,
    };
  }
}

/** Inserts a message among those of its writer in the order of time, after one of the same time. */
function insert(author: Author, writer: Writer): void {
  const { createdAt } = author;
  if (createdAt < writer.first.createdAt) {
    author.next = writer.first;
    writer.first = author;
    return;
  }
  let before = writer.last.createdAt <= createdAt ? writer.last : writer.first;
  while (before.next !== undefined && before.next.createdAt <= createdAt) before = before.next;
  author.next = before.next;
  before.next = author;
  if (author.next === undefined) writer.last = author;
}

/** The name with which a message counts, shown or not. */
const signedName = ({ name, heldName }: Signed): string | null => name ?? heldName ?? null;

/**
 * The name by which readers know a signer: the name of its first shown message.
 *
 *     #1 Birch, #2 Oak                Birch
 *     #1 Birch, held; #2 Oak          Oak
 *     #1 Birch, held                  null
 */
export const nameOf = ({ first }: Writer): string | null =>
  findMessage(first, ({ isHeld }) => !isHeld)?.name ?? null;

/**
 * @returns the first wanted message, beginning with a message and continuing with later ones of its writer
 * @example #2 and #3 by Ann, of which reports hold #2:
 *   `findMessage(<of #2>, ({ isHeld }) => !isHeld)` is that of #3
 */
export function findMessage(author: Author, isWanted: (one: Author) => boolean): Author | undefined {
  let one: Author | undefined = author;
  while (one !== undefined && !isWanted(one)) one = one.next;
  return one;
}

interface Forms {
  readonly normalizedName: string | null;
  readonly look: string;
  /** The looks of its words, between blanks. */
  readonly words: string;
}

const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/u;

/** @returns the looks of the words, each between spaces, so that a search finds only whole words */
function wordsOf(name: string): string {
  const words = name.split(BETWEEN_WORDS).filter((word) => word !== '');
  return ` ${words.map(lookOf).join(' ')} `;
}

/** How many names have cached forms. Each takes about half a kilobyte. */
const MAX_NAMES = 10_000;

const cachedForms = new Map<string, Forms>();

function formsOf(name: string): Forms {
  let forms = cachedForms.get(name);
  if (forms === undefined) {
    forms = { normalizedName: comparableName(name), look: lookOf(name), words: wordsOf(name) };
    // Pages also show messages that are not steps, so no window limits the number of names.
    if (cachedForms.size >= MAX_NAMES) cachedForms.clear();
    cachedForms.set(name, forms);
  }
  return forms;
}

/** In code units. Shorter names, such as "of", occur as words in many others. */
const MIN_NAME = 3;

/**
 * Whether a name contains another name, or one that looks like it, as whole words.
 * @example "Birch (new key)" has "Birch"
 */
export function hasName({ name }: Pick<Signed, 'name'>, other: Pick<Signed, 'name'>): boolean {
  if (name == null || other.name == null) return false;
  const { words } = formsOf(other.name);
  return words.trim().length >= MIN_NAME && formsOf(name).words.includes(words);
}

/** Whether the name of a message differs from the first name of its key in the thread. */
export function hasSecondName({ normalizedName, writer }: Author): boolean {
  const named = writer === null ? undefined : findMessage(writer.first, (one) => one.normalizedName !== null);
  return normalizedName !== null && named !== undefined && named.normalizedName !== normalizedName;
}

/**
 * Whether both messages were sent with the same key, so that the later one may end, replace or withdraw the
 * earlier one. A message without a key can do none of this.
 * @example #1 Ann and #2 Bob with one key: true; #1 and #3 Ann without a key: false
 */
export function isSameWriter(one: Author, other: Author): boolean {
  return one.rootId === other.rootId && one.writer !== null && one.writer === other.writer;
}
