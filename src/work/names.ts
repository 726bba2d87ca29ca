import { viewpointOfOpener } from './trusted.ts';
import { type SignedNames, type Thread, type Viewpoint } from './model.ts';
import { append } from './lists.ts';
import { isTrusted } from './votes.ts';
import { findMessage, hasName, type Author, type Look } from './writers.ts';

// Anyone can sign with any name, so names decide nothing. What readers see of them is computed on demand.

/** How many characters of a signer pages show beside a shared name. They show more if these are equal. */
const MIN_LETTERS = 6;

function namesOf(thread: Thread): SignedNames {
  const viewpoint = viewpointOfOpener(thread);
  return (viewpoint.cache.names ??= {
    owners: new Map(),
    firsts: firstNames(viewpoint),
    byBeginning: new Map(),
  });
}

const firstNames = ({ trusted }: Viewpoint): Author[] =>
  [...trusted.keys()].flatMap(
    (writer) => findMessage(writer.first, (one) => !one.isHeld && one.name !== null) ?? [],
  );

/** Finds only owners that are asked for: 50,000 keys of a thread may have a name each. */
function ownerOf(thread: Thread, look: Look): Author | null {
  const { owners } = namesOf(thread);
  if (!owners.has(look)) owners.set(look, findOwner(thread, look));
  return owners.get(look) ?? null;
}

function findOwner(thread: Thread, look: Look): Author | null {
  const viewpoint = viewpointOfOpener(thread);
  const { trusted, distrusted } = viewpoint;
  let first: Author | undefined;
  let owner: Author | null = null;
  for (const [writer, author] of look.signers) {
    const shown = distrusted.has(writer)
      ? undefined
      : findMessage(author, (one) => !one.isHeld && one.look === look);
    if (shown === undefined) continue;
    const isFirst = trusted.has(writer);
    // A held message still counts, but another one of its writer is shown in its place.
    const comesFirst =
      first === undefined ||
      (isFirst === isTrusted(viewpoint, first) ? author.createdAt < first.createdAt : isFirst);
    if (comesFirst) [first, owner] = [author, shown];
  }
  return owner;
}

/**
 * Finds a signer that readers may confuse with the writer of a message: another signer who owns the look of
 * its name, or a trusted signer whose first name is among its words. The owner of a look is the first trusted
 * signer with it, or else the first signer whom the opener does not distrust. The words of a trusted signer's
 * own name are not compared.
 *
 *     #1 Birch, by the opener         none
 *     #2 B1rch, by a stranger         #1
 *     #3 Birch (new key), unsigned    #1
 *
 * @param thread of the author; undefined if the board has no step of it
 * @returns the first message of that signer with the name
 */
export function namesakeOf(thread: Thread | undefined, author: Author): Author | undefined {
  if (thread === undefined || author.name === null) return undefined;
  const owner = author.look && ownerOf(thread, author.look);
  if (owner !== null && owner.writer !== author.writer) return owner;
  if (isTrusted(viewpointOfOpener(thread), author)) return undefined;
  return namesOf(thread).firsts.find((first) => hasName(author, first));
}

/**
 * Distinguishes the writer of a message from others in its thread with a name that looks alike.
 *
 *     #1 Birch, signer 1gd2j8c7rz15    1gd2j8
 *     #2 Birch, signer 7q4k9xjv2m30    7q4k9x
 *     #3 Birch, unsigned               null
 *
 * @param signer of the message; undefined without one
 * @returns as many characters of the signer as distinguish it from the others; null without a signer;
 *   undefined if no other signer has the name
 */
export function shortSignerOf(
  thread: Thread | undefined,
  { look, writer }: Author,
  signer: string | undefined,
): string | null | undefined {
  if (thread === undefined || look === null) return undefined;
  const isOnly = look.signers.size === (writer !== null && look.signers.has(writer) ? 1 : 0);
  if (isOnly) return undefined;
  if (signer === undefined) return null;
  const { byBeginning } = namesOf(thread);
  if (!byBeginning.has(look)) byBeginning.set(look, groupByBeginning(look));
  const alike = byBeginning.get(look)?.get(signer.slice(0, MIN_LETTERS)) ?? [];
  let length = MIN_LETTERS;
  while (alike.some((one) => one !== signer && one.startsWith(signer.slice(0, length)))) length += 1;
  return signer.slice(0, length);
}

/** @returns the signers with a look by their first characters: thousands of keys may sign with one name */
function groupByBeginning({ signers }: Look): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { signer } of signers.keys()) append(groups, signer.slice(0, MIN_LETTERS), signer);
  return groups;
}
