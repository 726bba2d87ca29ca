import { refersTo as referencesIn } from '#message/references.ts';
import { countTrust, judgedPost, parseStepFacts, type StepFacts } from '#message/step.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import type { CopyOf } from '#work/copies.ts';
import type { Result, Work } from '#work/model.ts';
import { othersUnderWay } from '#work/conflict.ts';
import { changesBy, type TrustChange } from '#work/trusted.ts';
import { referencesOf } from '#work/message-view.ts';
import { findCopyOf } from '#work/standing-view.ts';
import { ideaWithParts, partNames, partsFor, freeParts } from '#work/parts.ts';
import { openWorksOf, statusOf } from '#work/works.ts';
import { isSameWriter, type Author } from '#work/writers.ts';
import { MAX_LISTED } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';
import type { PublishOutcome } from './publish.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** Messages with these prefixes belong in the thread of an IDEA, and are compared with WORKs of others. */
export const IN_THREAD_PREFIXES: readonly (string | null)[] = ['WORK', 'RESULT', 'REVIEW'];

/** What the text of a post says. */
export interface PostText {
  readonly post: Post;
  readonly facts: StepFacts | null;
  /** The post that it replies to, and all that its text names. */
  readonly named: readonly string[];
}

/** A published post, and what the board says about it. `receipt.ts` and `post-warnings.ts` format this. */
export interface PostOnBoard extends PostText {
  readonly board: Board;
  readonly author: Author;
  /** The message itself, if it is a WORK, and when that is due. */
  readonly work: Work | undefined;
  readonly dueAt: Timestamp | undefined;
  /** The ids of `named` that exist or existed here, as many as a message shows. */
  readonly refersTo: string[];
  /** The RESULT that a REVIEW judges: an id or none, and what the board has of it. */
  readonly checks: string[] | undefined;
  readonly result: Result | undefined;
  /** Undefined without a line "Trust:" or "Distrust:"; null if its lines do nothing. */
  readonly trust: TrustChange[] | null | undefined;
  readonly parts: PartsOfPost;
  /** The ids of the WORKs and IDEAs that it ends. */
  readonly ended: string[];
  readonly copyOf: CopyOf | undefined;
  /** WORKs of others on the same thing. */
  readonly others: readonly Work[];
  /** Open WORKs of its writer in the thread. */
  readonly open: readonly Work[];
}

interface PartsOfPost {
  /** All parts of its IDEA, if the message adds some or names none of them. */
  readonly parts?: readonly string[] | undefined;
  readonly free?: string[];
  /** Why its line "Parts:" or "Part:" does nothing, or what is missing. */
  readonly flaw?: 'adds nothing' | 'fits none' | 'takes none' | undefined;
}

/**
 * @example
 *   toPostText(post); // of "REVIEW: of post_2" in reply to post_1: { post, facts, named: ['post_1', 'post_2'] }
 */
export const toPostText = (post: Post): PostText => ({
  post,
  facts: parseStepFacts(post),
  named: referencesIn(post, Infinity),
});

/**
 * Reads what the board, which already has the post, says about it: what it takes, judges, ends and copies,
 * and who is working on the same thing.
 * @param found the records that its text names
 * @example
 *   // A WORK on part 2 of the IDEA post_1, on which Bob is working too:
 *   await readPostOnBoard(context, post, found); // { work, dueAt, refersTo: ['post_1'], others: [post_3], … }
 * @throws StoreFailure
 */
export async function readPostOnBoard(
  { boards, now }: Pick<WorkspaceContext, 'boards' | 'now'>,
  post: Post,
  found: PublishOutcome<'post'>['named'] = new Map(),
): Promise<PostOnBoard> {
  const board = boards.boardNow() ?? (await boards.board());
  const time = now();
  const { facts, named } = toPostText(post);
  const author = board.authorOf(post);
  const thread = board.thread(post.rootId);
  const work = board.works.get(post.id);
  const visible = new Map(
    [...found].flatMap(([id, record]) => (record.status === 'visible' ? [[id, record]] : [])),
  );
  const { refersTo, checks } = referencesOf(post, { known: found, heads: visible });
  const references = { checked: facts?.checked ?? null, parentId: post.parentId };
  const judged = judgedPost(references, (id) => board.results.has(id));
  return {
    post,
    facts,
    named,
    board,
    author,
    work,
    dueAt: work && timestampAt(statusOf(work).dueAt),
    refersTo,
    checks,
    result: board.results.get(checks?.[0] ?? ''),
    trust:
      thread !== undefined && countTrust(post.message, post.prefix) > 0
        ? changesBy(author, thread, facts?.trust)
        : undefined,
    parts: partsOfPost(board, post, author, time),
    ended: endedIds(board, post, author, facts),
    copyOf: findCopyOf(board, post.id),
    others: IN_THREAD_PREFIXES.includes(post.prefix) ? othersUnderWay(board, post, judged ?? '', time) : [],
    open: (thread === undefined ? [] : openWorksOf(thread, author, MAX_LISTED + 1))
      .filter(({ step }) => step.id !== post.id)
      .slice(0, MAX_LISTED),
  };
}

function endedIds(board: Board, { id, rootId }: Post, author: Author, facts: StepFacts | null): string[] {
  if (facts === null) return [];
  const works = board.thread(rootId)?.works.filter((work) => statusOf(work).endedBy?.id === id) ?? [];
  const ideas = (facts.ends ?? []).flatMap((one) => board.ideas.get(one) ?? []);
  const ended = ideas.filter((idea) => idea.step.id !== id && isSameWriter(author, idea.author));
  return [...works, ...ended].map(({ step }) => step.id);
}

/**
 * Reads all parts of an IDEA if a message divides it, or if its line "Part:" matches none of them; and the
 * free parts of the IDEA that a WORK or RESULT is about, except for a WORK that names no part and takes only
 * RESULTs.
 */
function partsOfPost(board: Board, post: Post, author: Author, now: number): PartsOfPost {
  const { parts: given, part: { length: named } = [] } = parseStepFacts(post) ?? {};
  const divided = given && (board.ideas.get(post.id) ?? board.thread(post.rootId)?.ideaOpenedBy(author));
  const addsNothing = given !== undefined && divided === undefined;
  const item = board.works.get(post.id) ?? board.results.get(post.id);
  const about = item !== undefined && 'takes' in item ? item.takes : [];
  const idea = item && ideaWithParts(board, [...about, post.parentId ?? '', post.rootId]);
  const isOnResults = named === 0 && about.length > 0 && about.every((id) => board.results.has(id));
  if (item === undefined || idea === undefined || isOnResults)
    return { parts: divided && partNames(divided), flaw: addsNothing ? 'adds nothing' : undefined };
  const free = freeParts(idea, now);
  const fitsNone = item.parts.length < named;
  const takesNone = named === 0 && free.length > 0 && ('takes' in item || partsFor(item).length === 0);
  const flaw = addsNothing ? 'adds nothing' : fitsNone ? 'fits none' : takesNone ? 'takes none' : undefined;
  const shown = fitsNone ? idea : divided;
  return { parts: shown && partNames(shown), free, flaw };
}
