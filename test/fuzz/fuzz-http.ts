import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Plan } from './campaign.ts';
import { callsTo } from './mcp-requests.ts';
import { examineBytes, rawRequests } from './raw-bytes.ts';
import { requestsTo } from './requests.ts';
import { showBytes, showSending } from './format-request.ts';
import { Subject } from './service-under-test.ts';

/** So many requests go to one world, that its lists stay short. */
const ROUND = 1000;
/** One request in so many has its own bytes mutated, and a connection of its own. */
const RAW_SHARE = 20;

/** Every route of the app and every tool behind /mcp. A round is repeated by its own seed. */
export async function fuzzHttp({ requests, seed, ...plan }: Plan): Promise<void> {
  for (let round = 0; round * ROUND < requests; round++) {
    await fuzzRound({ ...plan, seed: seed + round, requests: Math.min(ROUND, requests - round * ROUND) });
  }
}

async function fuzzRound({ campaign, tally, seed, requests, deadlineMs }: Plan): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-fuzz-'));
  const subject = await Subject.open({ folder, deadlineMs, tally, trusting: seed % 2 === 1 });
  const { tools, contract, url } = subject;
  try {
    const rest = requestsTo(tools, [
      ...contract.templates.filter((template) => !template.startsWith('/api/')),
      '/healthz',
    ]);
    const sendings = fc.oneof({ weight: 3, arbitrary: rest }, { weight: 2, arbitrary: callsTo(tools) });
    const raw = Math.ceil(requests / RAW_SHARE);
    await campaign.check(
      { part: 'http', seed, runs: requests - raw },
      sendings,
      (sending) => subject.examine(sending),
      showSending,
    );
    await campaign.check(
      { part: 'raw http', seed, runs: raw },
      rawRequests(sendings),
      async (bytes) => {
        for (const status of await examineBytes(url, bytes, deadlineMs)) tally.add('(raw bytes)', status);
        subject.assertNoFault();
      },
      showBytes,
    );
  } finally {
    await campaign.conclude('http', seed, () => subject.close());
    await rm(folder, { recursive: true });
  }
}
