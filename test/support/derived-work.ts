import { toSigner } from '#message/signer.ts';
import { readStepFacts, toHeld, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { Board, type Lists } from '#work/board.ts';

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
    const facts = readStepFacts(post);
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

/** @returns the lists of work at a time */
export function listWork(board: Board, now: number): Lists {
  board.update(now, () => false);
  return board.read();
}
