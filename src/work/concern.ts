import {
  findParts,
  judgedPost,
  readStepFacts,
  takenPosts,
  type StepFacts,
  type StepMessage,
} from '#message/step.ts';
import type { Board } from './board.ts';
import { viewOfOpener } from './trusted.ts';
import { ideaWithParts } from './thread.ts';
import { isSameWriter, type Author } from './writers.ts';

/** Why a later WORK, REVIEW or RESULT concerns a post with one of these prefixes. */
const REASONS = {
  WORK: {
    WORK: 'takes the same thing',
    REVIEW: 'reviews what you take',
    RESULT: 'corrects what you take',
  },
  REVIEW: {
    WORK: 'takes what you review',
    REVIEW: 'reviews the same thing',
    RESULT: 'corrects what you review',
  },
  RESULT: {
    WORK: 'takes what you correct',
    REVIEW: 'reviews what you correct',
    RESULT: 'corrects the same thing',
  },
} as const;

const SAME_PART = 'is on the same part';
const SAME_THREAD = 'is in the same thread';

type Compared = keyof typeof REASONS;

/** A later message, as a post is compared with it. */
interface Later {
  readonly id: string;
  readonly prefix: string | null;
  readonly parentId: string | null;
  readonly rootId: string;
  readonly createdAt: string;
  readonly facts: StepFacts | null;
  /** By id, the prefixes of the visible posts that it names. */
  readonly prefixes: Readonly<Record<string, string>>;
}

type Comparable = Pick<Later, 'prefix' | 'parentId' | 'rootId'> & { readonly facts: StepFacts };

interface Known {
  readonly board: Board;
  /** Of the post. */
  readonly mark: string | undefined;
  /** @returns the prefix of a visible post */
  readonly prefixOf: (id: string) => string | null;
}

/**
 * Decides which later messages refuse a post that was sent with `ifUnchanged`. The subject of a post is what
 * a WORK takes, a REVIEW judges or a RESULT corrects. A later WORK or REVIEW concerns the post if it has the
 * same subject. A later RESULT concerns a RESULT that corrects the same, and a WORK or REVIEW if its writer
 * may change the subject. Two WORKs or two RESULTs that name parts concern each other only if a part is the
 * same. Whoever is trusted in the thread is concerned by others that are, only: others may have any number of
 * keys, and could hold up each REVIEW. Every message of its thread concerns a post with another prefix or none.
 * @param post its facts are read once for each object
 * @returns a function that returns the reason why a later message concerns the post; null if it does not
 */
export function concernOf(
  post: StepMessage,
  rootId: string,
  { board, mark, prefixOf }: Known,
): (later: Later) => string | null {
  const { prefix, parentId } = post;
  const facts = readStepFacts(post);
  if (facts === null || !isCompared(prefix)) return (later) => (later.rootId === rootId ? SAME_THREAD : null);
  const own = { prefix, parentId, rootId, facts };
  const subjects = new Set(subjectsOf(own, prefixOf));
  const parts = partsOf(board, own, [...subjects]);
  const thread = board.thread(rootId);
  const isMember = (one: string | undefined): boolean => {
    const writer = one === undefined ? undefined : thread?.writers.withSigner(one);
    return thread !== undefined && writer !== undefined && viewOfOpener(thread).trusted.has(writer);
  };
  const byMember = isMember(mark);
  return (later) => {
    const { facts: laterFacts, prefix: kind } = later;
    if (laterFacts === null || !isCompared(kind) || (byMember && !isMember(laterFacts.mark))) return null;
    // Anybody can announce anything without a key.
    if (kind === 'WORK' && laterFacts.mark === undefined) return null;
    const other = { ...later, facts: laterFacts };
    const found = subjectsOf(other, (id) => later.prefixes[id] ?? prefixOf(id));
    if (kind === prefix && kind !== 'REVIEW' && parts.length > 0) {
      const others = partsOf(board, other, found);
      if (parts.some((part) => others.includes(part)))
        return kind === 'RESULT' ? SAME_PART : REASONS[prefix][kind];
      if (kind === 'WORK' && others.length > 0) return null;
    }
    const shared = found.filter((id) => subjects.has(id));
    const counts =
      kind === 'RESULT' && prefix !== 'RESULT'
        ? shared.some((id) => mayCorrect(board, later, laterFacts, id))
        : shared.length > 0;
    return counts ? REASONS[prefix][kind] : null;
  };
}

function isCompared(prefix: string | null): prefix is Compared {
  return prefix !== null && Object.hasOwn(REASONS, prefix);
}

/** What a WORK takes, a REVIEW judges, and a RESULT corrects. */
function subjectsOf(
  { prefix, parentId, facts }: Comparable,
  prefixOf: (id: string) => string | null,
): readonly string[] {
  if (prefix === 'WORK') {
    const isTakable = (id: string): boolean => ['RESULT', 'IDEA'].includes(prefixOf(id) ?? '');
    return takenPosts({ parentId, takes: facts.takes }, isTakable);
  }
  if (prefix === 'RESULT') return facts.corrects;
  const judged = judgedPost({ ...facts, parentId }, (id) => prefixOf(id) === 'RESULT');
  return judged === undefined ? [] : [judged];
}

/**
 * @param taken ids of what a WORK takes
 * @returns each part as the id of its IDEA and its index there
 */
function partsOf(
  board: Board,
  { prefix, parentId, rootId, facts }: Comparable,
  taken: readonly string[],
): string[] {
  if (facts.part === undefined) return [];
  const idea = ideaWithParts(board, [...(prefix === 'WORK' ? taken : []), parentId ?? '', rootId]);
  if (idea === undefined) return [];
  return findParts(idea.step.parts ?? [], facts.part).map((index) => `${idea.step.id} ${index}`);
}

function mayCorrect(board: Board, later: Later, facts: StepFacts, corrected: string): boolean {
  const target = board.results.get(corrected);
  return target !== undefined && isSameWriter(authorOf(board, later, facts), target.author);
}

function authorOf(board: Board, { id, rootId, createdAt }: Later, { name, mark }: StepFacts): Author {
  return board.authorOf({ id, rootId, createdAt, name, mark });
}
