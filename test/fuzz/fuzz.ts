import type { FuzzOptions } from './campaign.ts';
import { fuzzHttp } from './fuzz-http.ts';
import { fuzzRateLimits } from './fuzz-rate-limits.ts';
import { fuzzStdio } from './fuzz-stdio.ts';
import { fuzzProcess } from './fuzz-process.ts';

/** Runs every part with its share of the requests: half of them to a watched process, a tenth over stdio. */
export async function fuzz(options: FuzzOptions): Promise<void> {
  const share = (part: number): FuzzOptions => ({ ...options, requests: Math.ceil(options.requests * part) });
  const stdio = fuzzStdio(share(0.1));
  await fuzzProcess(share(0.5));
  await fuzzHttp(share(0.35));
  await fuzzRateLimits(share(0.05));
  await stdio;
}
