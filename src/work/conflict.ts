import { judgedPost, parseStepFacts, takenPosts } from '#message/step.ts';
import type { Step, StepFacts, StepMessage } from '#message/step.ts';
import type { Board } from './board.ts';
import { worksByTimeOf } from './open.ts';
import { MAX_SHOWN, type Part, type Work } from './model.ts';
import { partsNamed } from './parts.ts';
import { viewpointOfOpener } from './trusted.ts';
import { chooseWorks, mayHaveSameWriter, sharesPart } from './works.ts';
import type { Signed } from './writers.ts';

/** The verb that says what a message with each prefix does to its subject. */
const VERBS = { WORK: 'take', REVIEW: 'review', RESULT: 'correct' } as const;

type PrefixOf = (id: string) => string | null;

/** A later message with which a post is compared. */
interface Later extends Pick<Step, 'prefix' | 'parentId'> {
  readonly mark: string | null;
  readonly facts: StepFacts | null;
  /** By id, the prefixes of the visible posts that it names. */
  readonly prefixes: Readonly<Record<string, string>>;
}

interface Compared {
  readonly prefix: keyof typeof VERBS;
  readonly parentId: string | null;
  readonly facts: StepFacts;
}

/**
 * Decides which later messages cause a post with `ifUnchanged` to be refused: only those of signers who are
 * trusted in its thread, because anyone else may have any number of keys. A later message concerns the post
 * if both have the same subject: what a WORK takes, a REVIEW judges or a RESULT corrects. Exceptions:
 *
 * - Of two REVIEWs, both must have the same outcome.
 * - Of two WORKs that name parts, both must name the same one.
 * - Two RESULTs on the same part concern each other without a common subject.
 * - A RESULT concerns a WORK or REVIEW only if it corrects what its own writer has posted.
 * - Every message concerns a post with another prefix or none.
 *
 * @param post its text is parsed once for each object
 * @param prefixOf returns the prefix of a visible post
 * @returns a function that returns the reason why a later message concerns the post; null if it does not
 * @example Bob sends a WORK on #1, and a trusted signer has just posted a WORK on #1: "takes the same thing".
 *   If that signer is not trusted: null
 */
export function conflictOf(
  post: StepMessage,
  rootId: string,
  board: Board,
  prefixOf: PrefixOf,
): (later: Later) => string | null {
  const thread = board.thread(rootId);
  if (thread === undefined) return () => null;
  const { trusted } = viewpointOfOpener(thread);
  const draft = toCompared(post, parseStepFacts(post));
  const subjects = draft === null ? [] : subjectsOf(draft, prefixOf);
  const partsOf = ({ facts, parentId }: Compared, ids: readonly string[]): readonly Part[] =>
    partsNamed(board, facts, [...ids, parentId ?? '', rootId]);
  const parts = draft === null ? [] : partsOf(draft, subjects);
  return (later) => {
    const writer = thread.writers.withSigner(later.mark ?? '');
    if (writer === undefined || !trusted.has(writer)) return null;
    if (draft === null) return 'is in the same thread';
    const other = toCompared(later, later.facts);
    if (other === null) return null;
    const found = subjectsOf(other, (id) => later.prefixes[id] ?? prefixOf(id));
    const shared = found.filter((id) => subjects.includes(id));
    const verb = `${VERBS[other.prefix]}s`;
    if (other.prefix !== draft.prefix) {
      const counts = (id: string): boolean =>
        other.prefix !== 'RESULT' || board.results.get(id)?.author.writer === writer;
      return shared.some(counts) ? `${verb} what you ${VERBS[draft.prefix]}` : null;
    }
    if (draft.prefix === 'REVIEW' && (draft.facts.outcome ?? 'none') !== other.facts.outcome) return null;
    const others = partsOf(other, found);
    if (sharesPart(parts, others)) return 'is on the same part';
    if (draft.prefix === 'WORK' && parts.length > 0 && others.length > 0) return null;
    return shared.length > 0 ? `${verb} the same thing` : null;
  };
}

function toCompared({ prefix, parentId }: StepMessage | Later, facts: StepFacts | null): Compared | null {
  if (facts === null || (prefix !== 'WORK' && prefix !== 'REVIEW' && prefix !== 'RESULT')) return null;
  return { prefix, parentId, facts };
}

/** What a WORK takes, a REVIEW judges, and a RESULT corrects. */
function subjectsOf({ prefix, parentId, facts }: Compared, prefixOf: PrefixOf): readonly string[] {
  if (prefix === 'RESULT') return facts.corrects;
  if (prefix === 'WORK')
    return takenPosts({ parentId, takes: facts.takes }, (id) =>
      ['RESULT', 'IDEA'].includes(prefixOf(id) ?? ''),
    );
  return [judgedPost({ ...facts, parentId }, (id) => prefixOf(id) === 'RESULT') ?? []].flat();
}

/**
 * Finds WORKs of others, under way in the same thread, that may do the same as a WORK, RESULT or REVIEW. For
 * a REVIEW, these take the RESULT that it judges. If both messages name parts, they must share one.
 * @param now milliseconds since 1970
 * @returns at most three, those of trusted signers first
 * @example #2 WORK on #1 by Ann, under way; Bob posts #3 WORK on #1: for #3 it is #2
 */
export function othersUnderWay(
  board: Board,
  post: Signed & Pick<Step, 'prefix'>,
  judged: string,
  now: number,
): Work[] {
  const thread = board.thread(post.rootId);
  if (thread === undefined) return [];
  const author = board.authorOf(post);
  const parts = (board.works.get(post.id) ?? board.results.get(post.id))?.parts ?? [];
  const isOther = (one: Work): boolean =>
    one.step.id !== post.id &&
    !mayHaveSameWriter(one.author, author) &&
    (post.prefix !== 'REVIEW' || one.takes.includes(judged)) &&
    (parts.length === 0 || one.parts.length === 0 || sharesPart(parts, one.parts));
  return chooseWorks(worksByTimeOf(thread, now).underWay, MAX_SHOWN, isOther);
}
