import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzOptions } from './campaign.ts';
import { hostileRequests } from './requests.ts';
import { formatRequest } from './http-request.ts';
import { ServiceUnderTest } from './service-under-test.ts';

/** Requests to one service, so that its lists stay short. */
const REQUESTS_PER_ROUND = 1000;

/** Fuzzes every route, and every tool over /mcp. Each round has a seed of its own that repeats it. */
export async function fuzzHttp({ requests, seed, ...plan }: FuzzOptions): Promise<void> {
  for (let round = 0; round * REQUESTS_PER_ROUND < requests; round++) {
    await fuzzRound({
      ...plan,
      seed: seed + round,
      requests: Math.min(REQUESTS_PER_ROUND, requests - round * REQUESTS_PER_ROUND),
    });
  }
}

async function fuzzRound({ campaign, tally, seed, requests, deadlineMs }: FuzzOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-fuzz-'));
  const service = await ServiceUnderTest.open({ folder, deadlineMs, tally, trustsForwarded: seed % 2 === 1 });
  const { tools, contract } = service;
  try {
    await campaign.check(
      { part: 'http', seed, runs: requests },
      hostileRequests(tools, contract.templates),
      (request) => service.check(request),
      formatRequest,
    );
  } finally {
    await campaign.checkAtEnd('http', seed, () => service.close());
    await rm(folder, { recursive: true });
  }
}
