import type { Plan } from './campaign.ts';
import { fuzzHttp } from './http.ts';
import { fuzzLimits } from './limits.ts';
import { fuzzStdio } from './scripts.ts';
import { fuzzShield } from './shield.ts';

/** Every part, each with its share of the requests: most go to the house, one in ten over stdio. */
export async function fuzz(plan: Plan): Promise<void> {
  const { requests } = plan;
  const overStdio = fuzzStdio({ ...plan, requests: Math.ceil(requests * 0.1) });
  await fuzzHttp({ ...plan, requests: Math.ceil(requests * 0.85) });
  await fuzzLimits({ ...plan, requests: Math.ceil(requests * 0.05) });
  await fuzzShield(plan);
  await overStdio;
}
