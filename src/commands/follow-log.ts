import { CommandError } from './command.ts';
import type { LogFollower, MirrorContext } from './mirror.ts';
import { CUT_OFF, Retries } from './service-request.ts';

/** The polling interval at the end of the log. An erase reaches the mirror within this time. */
const POLL_MS = 2000;

const MAX_PAUSE_MS = 5000;

/** With `--once` the mirror gives up after this time without a success. Also the maximum pause. */
const GIVE_UP_MS = 60_000;

/** After so many incomplete responses in a row, a proxy cuts each one off, or the origin is hostile. */
const MAX_CUT_OFF = 20;

/**
 * Follows the log until the mirror is stopped or, with `once`, up to the end of the log.
 * @throws CommandError if no later request can succeed, or if the origin has another history or sends no
 *   complete page; with `once` also if nothing is new, or if it is stopped before the end
 */
export async function followLog(follower: LogFollower, once: boolean, context: MirrorContext): Promise<void> {
  const { now, sleep, isStopped, logStatus } = context;
  const retries = new Retries(Infinity, logStatus);
  let succeededAt = now();
  let count = 0;
  let cutOff = 0;
  while (!isStopped()) {
    const outcome = await follower.followPage();
    cutOff = outcome === CUT_OFF ? cutOff + 1 : 0;
    if (cutOff === MAX_CUT_OFF)
      throw new CommandError(
        `${MAX_CUT_OFF} responses in a row from the origin were cut off: it, or a proxy in front of it, ` +
          'does not send complete pages of its log. None of the page was stored.',
      );
    if ('failure' in outcome) {
      if (isStopped()) break;
      if (once && now() - succeededAt > GIVE_UP_MS)
        throw new CommandError(
          `The origin does not respond (${outcome.failure}). ${count} lines were copied.`,
        );
      const longest = outcome.retryAfter === undefined ? MAX_PAUSE_MS : GIVE_UP_MS;
      await sleep(Math.min(retries.pauseAfter(outcome, now()), longest));
      continue;
    }
    retries.succeed();
    succeededAt = now();
    count += outcome.lines;
    if (outcome.more) continue;
    if (!once) await sleep(POLL_MS);
    else if (count === 0) throw new CommandError('The origin has nothing new in its log.', 'incomplete');
    else {
      logStatus(`Copied ${count} lines of the log.`);
      return;
    }
  }
  const message = `${count} lines were copied. To copy the rest, run the same command again.`;
  if (once) throw new CommandError(message, 'interrupted');
}
