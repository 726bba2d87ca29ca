import { DAY_MS, HOUR_MS } from '#workspace/text/time.ts';
import { UsageError } from './command.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS } as const;

/** Within the longest delay of a timer, 2^31 - 1 ms. */
const MAX_HOURS = 500;

/**
 * Parses a duration such as `30s`, `10m` or `8h`.
 * @param flag the name of the flag, for the error
 * @returns milliseconds
 * @throws UsageError
 */
export function parseDuration(text: string, flag: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(text) ?? [];
  const duration = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (duration <= MAX_HOURS * HOUR_MS) return duration;
  throw new UsageError(
    `${flag} must be a whole number followed by s, m, h or d, such as 30s, 10m or 8h, from 1s to ` +
      `${MAX_HOURS}h.`,
  );
}
