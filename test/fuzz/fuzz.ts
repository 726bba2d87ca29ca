import type { Plan } from './campaign.ts';
import { fuzzHttp } from './fuzz-http.ts';
import { fuzzLimits } from './fuzz-rate-limits.ts';
import { fuzzStdio } from './fuzz-stdio.ts';
import { fuzzShield } from './fuzz-request-limit.ts';
import { fuzzWatched } from './fuzz-process.ts';

/** Every part with its share of the requests: half of them to a watched process, one in ten over stdio. */
export async function fuzz(plan: Plan): Promise<void> {
  const share = (part: number): Plan => ({ ...plan, requests: Math.ceil(plan.requests * part) });
  const overStdio = fuzzStdio(share(0.1));
  await fuzzWatched(share(0.5));
  await fuzzHttp(share(0.35));
  await fuzzLimits(share(0.05));
  await fuzzShield(plan);
  await overStdio;
}
