import { judgedPost, toSigner } from '#message/step.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { summarizeThread, type ThreadSummary, type SignerSummary } from '#work/thread-summary.ts';
import { copiesOf, toSignature, type Signature } from '#work/standing-view.ts';
import { isEnded, MAX_NAMED, type Result, type Viewpoint, type Work } from '#work/model.ts';
import { viewpointOfSigner } from '#work/trusted.ts';
import { nameOf } from '#work/writers.ts';
import { openerHasVotes } from '#workspace/protocol/protocol-content.ts';
import type { TitledWork } from '#workspace/schemas/post.ts';
import { invalidRequestError } from '#workspace/service/errors.ts';
import { createFindings, namedBySteps, stepsOfFinding, type Finding } from './findings.ts';
import { titleOf } from './message.ts';
import { progressOf, toUnderWay } from './progress.ts';
import type { ReadContext } from './views.ts';

/** How many RESULTs of each list are read with their texts. */
const MAX_READ = 24;

/** What is known in a thread, with titles and lines of its texts. JSON and pages format it. */
export type KnownThread = Awaited<ReturnType<typeof readKnownThread>>;

/** The beginning of a list, and the number of all its items. */
export interface Cut<Item> {
  readonly items: readonly Item[];
  readonly count: number;
}

export type DescribedWork = z.infer<typeof TitledWork> &
  Signature &
  Pick<Work, 'takes'> & { readonly refersTo: readonly string[] };

export type DescribedSigner = ReturnType<typeof describeSigner>;

export interface KnownQuery {
  readonly rootId: string;
  /** The signer whose view decides; the opener by default. */
  readonly viewer?: string | undefined;
  /** Ids of RESULTs that `findings` has even if no list has them. */
  readonly besides?: readonly string[];
}

/**
 * Reads what is known in a thread.
 * @throws WorkspaceError invalid_request (no signer of the thread)
 */
export async function readKnownThread(
  { store: { read }, boards, now }: Omit<ReadContext, 'service'>,
  { rootId, viewer, besides = [] }: KnownQuery,
) {
  // Read before the board, so that `readUpTo` covers no message that the board lacks.
  const [newest] = await read.page('post', { thread: rootId, order: 'newest', limit: 1 });
  const board = await boards.board();
  const viewpoint = viewpointOf(board, rootId, viewer);
  const openerView = summarizeThread(board, rootId, now());
  const view = viewpoint === undefined ? openerView : summarizeThread(board, rootId, now(), viewpoint);
  const { results, toReview, setAside, trusted, distrusted, counts } = view;
  const parts = view.ideas.flatMap((idea) => idea.parts);
  // The list has one WORK by each signer, which may have taken a part with another WORK.
  const underWay = [...new Set([...view.underWay, ...parts.flatMap((part) => part.work ?? [])])];
  const described = new Set([
    ...[results, toReview, setAside.map(({ result }) => result)].flatMap((list) => list.slice(0, MAX_READ)),
    ...parts.flatMap(({ result }) => result ?? []),
    ...besides.flatMap((id) => board.results.get(id) ?? []),
  ]);
  const steps = [...described].flatMap((result) => stepsOfFinding(result, viewpoint));
  const related = await read.related({
    posts: [...steps, ...underWay.map(({ step }) => step)].map(({ id }) => id),
    numbers: namedBySteps(board, steps),
  });
  const describe = createFindings(board, related, viewpoint);
  const findings = new Map(Array.from(described, (result) => [result.step.id, describe(result)]));
  const findingsOf = (list: readonly Result[]): Cut<Finding> => ({
    items: list.flatMap(({ step }) => findings.get(step.id) ?? []).slice(0, MAX_READ),
    count: list.length,
  });
  const copies = copiesOf(board, rootId);
  const ideas = board.thread(rootId)?.ideas ?? [];
  const copyOf = board.copies.copyOf(rootId);
  return {
    /** The signer who decides in the opener's place, in lower case. */
    viewer: viewer === undefined ? undefined : toSigner(viewer),
    counts,
    /** Its newest visible message. */
    newest: newest?.record,
    /** As the opener sees it. */
    openerProgress: progressOf(openerView, rootId),
    progress: progressOf(view, rootId),
    /** Whether the opener trusts the viewer. */
    isViewerTrusted: openerView.trusted.some(({ writer }) => writer === viewpoint?.viewer),
    ideas: view.ideas,
    results: findingsOf(results),
    underWay: {
      items: underWay.map(
        (work): DescribedWork => ({
          ...toUnderWay(board, work),
          title: titleOf(related.posts.get(work.step.id)?.record),
          takes: work.takes,
          refersTo: work.step.refersTo,
        }),
      ),
      count: counts.underWay ?? 0,
    },
    toReview: findingsOf(toReview),
    setAside: {
      items: setAside.slice(0, MAX_READ).flatMap(({ result, why }) => {
        const finding = findings.get(result.step.id);
        return finding === undefined ? [] : { ...finding, why };
      }),
      count: setAside.length,
    },
    /** The RESULTs of the lists and of `besides`, by id. */
    findings,
    trusted: trusted.map((signer) => describeSigner(board, signer)),
    distrusted: {
      items: distrusted.slice(0, MAX_NAMED).map((signer) => describeSigner(board, signer)),
      count: distrusted.length,
    },
    decidedBy: describeTrust(view, viewer, board.thread(rootId)?.opener),
    /** The IDEAs that their writers have ended. */
    ended: ideas.filter(isEnded).map(({ step }) => step.id),
    /** The older thread that it nearly copies, or whose first line it copies. */
    copyOf,
    /** Whether it is nearly a copy, and both first messages are signed, so two signers wrote the texts. */
    isCopyByAnother:
      board.copies.isCopy(rootId) &&
      board.thread(rootId)?.opener !== undefined &&
      board.authorOfStep(copyOf?.id ?? '')?.signer !== undefined,
    copies: { items: copies.slice(0, MAX_NAMED), count: copies.length },
    changesAt: view.changesAt,
  };
}

/**
 * @param viewer the signer who decides in the opener's place
 * @returns undefined if the opener decides
 * @throws WorkspaceError invalid_request
 */
export function viewpointOf(board: Board, rootId: string, viewer: string | undefined): Viewpoint | undefined {
  if (viewer === undefined) return undefined;
  const thread = board.thread(rootId);
  const viewpoint = thread && viewpointOfSigner(thread, viewer);
  if (viewpoint === undefined)
    throw invalidRequestError([
      { path: 'viewer', message: 'must be a signer of this thread: copy one, or leave it out' },
    ]);
  return viewpoint;
}

/** @returns a signer, with the ids of the message that decides about it, and of the RESULT it confirms */
const describeSigner = (board: Board, { writer, why, by }: SignerSummary) => ({
  ...toSignature(board, writer.first),
  signer: writer.signer,
  name: nameOf(writer),
  why,
  by: by?.id,
  of: why === 'confirmed' && by ? judgedPost(by, (id) => board.results.has(id)) : undefined,
});

/** Says how many signers decide, because readers tend to assume more. */
function describeTrust(
  { trusted }: ThreadSummary,
  viewer: string | undefined,
  opener: string | undefined,
): string {
  const { length } = trusted;
  if (length === 0)
    return opener === undefined
      ? 'No reviews count here, because the first message is not signed.'
      : 'No reviews count here.';
  const lead = viewer === undefined ? 'the opener' : 'this signer';
  return length === 1
    ? `Only ${lead}'s reviews count here so far.`
    : `The reviews of ${length} signers count here: ${openerHasVotes(lead)}, the others have one each.`;
}
