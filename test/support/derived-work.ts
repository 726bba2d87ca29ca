import assert from 'node:assert/strict';
import { toSigner, parseStepFacts, toHeld, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { Board } from '#work/board.ts';
import { WORK_LISTS, type Lists } from '#work/work-lists.ts';
import { freeParts } from '#work/parts.ts';
import { findCopyOf, shownStandingOf, signatureOfStep } from '#work/standing-view.ts';
import { summarizeThread, sinceOf, type ThreadSummary } from '#work/thread-summary.ts';
import { delistings, listedAt } from '#work/listing-delay.ts';
import { effectOf } from '#work/reviews.ts';

/** The state of a post: `held` by reports, or `gone`, since the operator hid or erased it. */
export type State = 'visible' | 'held' | 'gone';

/**
 * @param posts oldest first
 * @param states by id, of those that are not visible
 * @returns the steps that a store has of them
 */
export function toSteps(posts: readonly Post[], states: ReadonlyMap<string, State> = new Map()): Step[] {
  const marks = new Map(posts.map(({ id, mark }) => [id, mark]));
  return posts.flatMap((post): Step[] => {
    const { id, prefix, parentId, rootId, createdAt } = post;
    const facts = parseStepFacts(post);
    if (states.get(id) === 'gone' || facts === null) return [];
    const opener = marks.get(rootId);
    const step = {
      id,
      prefix,
      parentId,
      rootId,
      createdAt,
      ...facts,
      ...(opener !== undefined && { opener: toSigner(opener) }),
    };
    return [states.get(id) === 'held' ? toHeld(step) : step];
  });
}

/** @param steps oldest first @returns a board of all steps */
export function boardOf(steps: readonly Step[]): Board {
  const board = new Board();
  for (const step of steps) board.add(step);
  return board;
}

/** Replaces the steps of a board at once. @returns whether it has, so that no new board must be made */
export function replaceSteps(board: Board, steps: readonly Step[]): boolean {
  const replacement = board.replace(steps);
  let piece = replacement.next();
  while (piece.done !== true) piece = replacement.next();
  return piece.value === 'replaced';
}

/** @returns the lists of work at a time */
export function listWork(board: Board, now: number): Lists {
  board.update(now, () => false);
  return board.lists.current();
}

/** What is known in a thread, with ids in place of messages. */
function describeKnown({
  viewpoint,
  ideas,
  results,
  toReview,
  underWay,
  setAside,
  trusted,
  distrusted,
  ...known
}: ThreadSummary) {
  const idOf = (one: { readonly step: { readonly id: string } } | undefined) => one?.step.id;
  const signers = [...trusted, ...distrusted].map(({ writer, why, by }) => [writer.signer, why, by?.id]);
  return {
    ...known,
    endedAt: viewpoint?.endedAt,
    ideas: ideas.map(({ idea, parts }) => [
      idea.step.id,
      parts.map((part) => [part.state, idOf(part.result), idOf(part.work), part.refuted.map(idOf)]),
    ]),
    lists: [results, toReview, underWay, setAside.map(({ result }) => result)].map((list) => list.map(idOf)),
    since: results.map((result) => sinceOf(result)),
    signers,
  };
}

/** Compares all that readers see of the steps of two boards. */
export function compareBoards(board: Board, expected: Board, now: number): void {
  assert.deepEqual(describe(board, now), describe(expected, now));
  // What has left may still be expected to change something.
  assert.ok(board.lists.changesAt <= expected.lists.changesAt);
}

function describe(board: Board, now: number) {
  const lists = listWork(board, now);
  const ids = board.steps.map(({ id }) => id);
  const roots = [...new Set(board.steps.map(({ rootId }) => rootId))];
  return {
    ids,
    lists: WORK_LISTS.map((list) => `${list}: ${lists[list].map(({ id }) => id).join(' ')}`),
    standings: [...board.results]
      .map(([id, result]) => `${id} ${listedAt(result)} ${JSON.stringify(shownStandingOf(board, id))}`)
      .sort(),
    counts: [...board.results.values()]
      .flatMap((result) =>
        result.reviews.map((review) => `${review.step.id} ${JSON.stringify(effectOf(result, review))}`),
      )
      .sort(),
    delisted: roots.map((id) =>
      [...delistings(board.thread(id)!, '')].flatMap((one) =>
        one ? [[one.result.step.id, one.by.step.id]] : [],
      ),
    ),
    copies: ids.map((id) => `${id} ${JSON.stringify(findCopyOf(board, id))}`),
    parts: [...board.ideas].map(([id, idea]) => `${id} ${freeParts(idea, now).join()}`).sort(),
    known: roots.map((id) => describeKnown(summarizeThread(board, id, now))),
    signatures: ids.map((id) => signatureOfStep(board, id)),
    first: ids.map((id) => board.authorOfStep(id)?.writer?.first.id),
    works: [...board.works]
      .map(([id, work]) => `${id} ${work.takes.join()} ${work.parts.map(({ index }) => index).join()}`)
      .sort(),
    ended: board.newestEnded('', 100).map(({ item, by }) => `${item.step.id} ${by.id}`),
  };
}
