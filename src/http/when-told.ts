import type { Workspace } from '#workspace/workspace.ts';

export type Revision = Awaited<ReturnType<Workspace['revision']>>;

/** Hands a request on to Express, with the error where one was thrown. */
export type Next = (failure?: unknown) => void;

/**
 * Calls `then` synchronously when the revision is already known; an extra `await` costs cached reads about 10 %.
 * @param failed receives what `then` throws and a rejected revision: either would end the process
 */
export function whenTold(
  revision: ReturnType<Workspace['revision']>,
  then: (revision: Revision) => void,
  failed: Next,
): void {
  if (revision instanceof Promise) {
    revision.then(then).catch(failed);
    return;
  }
  try {
    then(revision);
  } catch (error) {
    failed(error);
  }
}
