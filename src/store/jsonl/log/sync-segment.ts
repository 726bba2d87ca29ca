import type { LogState } from './log-state.ts';

/** @returns false if the sync failed now or before: the system reports a failure only once */
export async function syncSegment(state: LogState): Promise<boolean> {
  if (state.syncFailed) return false;
  try {
    await state.file.sync();
    return true;
  } catch {
    state.syncFailed = true;
    return false;
  }
}
