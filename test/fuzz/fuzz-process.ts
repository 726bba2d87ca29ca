import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { FuzzOptions } from './campaign.ts';
import { LINGER_TIMEOUT_MS } from '#http/responses/reply.ts';
import { formatRequest, type HttpRequest } from './http-request.ts';
import { hostileRequests } from './requests.ts';
import { WatchedProcess } from './watched-process.ts';

/** Concurrent requests. */
const CONNECTIONS = 8;
/** Memory after so many requests is the baseline for any number. */
const WARM_UP = 20_000;
const REQUESTS_PER_ROUND = 5000;
const MAX_GROWTH = 1.05;
/** Logs, timers and watchers may open and close descriptors. */
const SPARE_DESCRIPTORS = 8;

/** Fuzzes the product in a child process, and checks exit, responses, memory and descriptors. */
export async function fuzzProcess({
  campaign,
  tally,
  seed,
  requests,
  deadlineMs,
}: FuzzOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-fuzz-'));
  const server = await WatchedProcess.start({ folder, deadlineMs, connections: CONNECTIONS, tally });
  const { tools, contract } = server;
  const batches = fc.array(hostileRequests(tools, contract.templates), {
    minLength: CONNECTIONS,
    maxLength: CONNECTIONS,
  });
  const before = await server.measure();
  let warmedUp = before;
  for (let sent = 0; sent < requests && server.isAlive; sent += REQUESTS_PER_ROUND) {
    const runs = Math.ceil(Math.min(REQUESTS_PER_ROUND, requests - sent) / CONNECTIONS);
    await campaign.check(
      { part: 'watched', seed: seed + sent / REQUESTS_PER_ROUND, runs },
      batches,
      (batch: readonly HttpRequest[]) => server.checkBatch(batch),
      (batch) => batch.map(formatRequest).join('\n  '),
    );
    if (sent + REQUESTS_PER_ROUND === WARM_UP)
      await campaign.checkAtEnd('watched', seed, async () => {
        warmedUp = await server.measure();
      });
  }
  await campaign.checkAtEnd('watched', seed, async () => {
    server.assertAlive();
    // A connection whose body was refused closes a second later.
    await setTimeout(2 * LINGER_TIMEOUT_MS);
    const end = await server.measure();
    tally.note(
      `memory after a collection: ${[before, warmedUp, end].map(({ used }) => used).join(', ')} bytes`,
    );
    tally.note(`descriptors: ${before.descriptors}, then ${end.descriptors}`);
    assert.ok(end.descriptors <= before.descriptors + SPARE_DESCRIPTORS, `${end.descriptors} descriptors`);
    if (requests > WARM_UP)
      assert.ok(end.used <= warmedUp.used * MAX_GROWTH, `${warmedUp.used} grew to ${end.used} bytes`);
    await server.end();
  });
  server.kill();
  await rm(folder, { recursive: true });
}
