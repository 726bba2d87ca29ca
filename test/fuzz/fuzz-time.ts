import { assertReadSoon, longText } from '../support/text-time.ts';
import type { FuzzOptions } from './campaign.ts';

/** Measures what reads the texts of strangers, with as many texts as `requests` says. */
export async function fuzzTime({ campaign, seed, requests }: FuzzOptions): Promise<void> {
  await campaign.check(
    { part: 'time', seed, runs: requests },
    longText,
    (text) => Promise.resolve().then(() => assertReadSoon(text)),
    (text) => JSON.stringify(text),
  );
}
