import { beginSegment, tryToBeginSegment } from './begin-segment.ts';
import { catchUp } from './catch-up.ts';
import type { LogState } from './log-state.ts';
import { appendClaim } from './marks.ts';

/** How long an opener waits for the proof line of the process that wrote last. */
const PROOF_WAIT_MS = 2000;
const PROOF_STEP_MS = 50;

/** After this number of displaced appends in a row a process claims the next one. */
const CLAIM_AFTER = 4;
/** How long the others wait for the claimant, which may have died. */
const CLAIM_WAIT_MS = 200;
const CLAIM_STEP_MS = 5;

/**
 * Makes sure that everything that was read is known to be synced: waits for a proof of what was found when
 * the segment was opened, and begins a segment if none comes. To be called before the decision on what is
 * appended.
 * @throws Error if nothing can be appended
 */
export async function prepareToAppend(state: LogState): Promise<void> {
  await takeTurn(state);
  while (state.unproved > 0 || state.syncFailed) {
    if (await isProvedSoon(state)) continue;
    await (state.syncFailed ? beginSegment(state) : tryToBeginSegment(state));
  }
  if (!(await state.file.isInPlace()))
    throw new Error(`${state.file.path} was moved, replaced or removed; restart the server`);
}

/** Without turns, a slow process would lose to faster ones for ever. The first of several claims holds. */
async function takeTurn(state: LogState): Promise<void> {
  await letClaimantGoFirst(state);
  if (state.displaced < CLAIM_AFTER || state.claim === state.claimant) return;
  await appendClaim(state);
  // Another claim may stand before it.
  if (state.hasMoved()) await catchUp(state);
  else state.claim = state.claimant;
  await letClaimantGoFirst(state);
}

async function letClaimantGoFirst(state: LogState): Promise<void> {
  const isOthers = (): boolean =>
    state.claim !== undefined && state.claim !== state.claimant && state.claim !== state.expiredClaim;
  for (let waited = 0; isOthers(); waited += CLAIM_STEP_MS) {
    if (waited >= CLAIM_WAIT_MS) state.expiredClaim = state.claim;
    await state.context.pause(CLAIM_STEP_MS);
    await catchUp(state);
  }
}

async function isProvedSoon(state: LogState): Promise<boolean> {
  for (let waited = 0; waited < PROOF_WAIT_MS && !state.syncFailed; waited += PROOF_STEP_MS) {
    if (state.unproved === 0) return true;
    await state.context.pause(PROOF_STEP_MS);
    await catchUp(state);
  }
  return state.unproved === 0 && !state.syncFailed;
}
