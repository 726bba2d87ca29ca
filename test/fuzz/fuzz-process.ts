import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Plan } from './campaign.ts';
import { callsTo } from './mcp-requests.ts';
import { requestsTo, type Sending } from './requests.ts';
import { WatchedProcess } from './watched-process.ts';

/** So many requests at once. */
const TOGETHER = 8;
/** What a process has after these it should have after any number. */
const WARM_UP = 20_000;
const ROUND = 5000;
const MOST_GROWTH = 1.05;
/** Logs, timers and watchers may come and go. */
const SPARE_DESCRIPTORS = 8;

/** Hostile requests to the product in a process of its own, whose life, answers, memory and descriptors are watched. */
export async function fuzzWatched({ campaign, tally, seed, requests, deadlineMs }: Plan): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-fuzz-'));
  const watched = await WatchedProcess.start({ folder, deadlineMs, together: TOGETHER, tally });
  const { tools, contract } = watched;
  const documents = contract.templates.filter((template) => !template.startsWith('/api/'));
  const sendings = fc.oneof(
    { weight: 1, arbitrary: requestsTo(tools, [...documents, '/healthz']) },
    { weight: 1, arbitrary: callsTo(tools) },
  );
  const batches = fc.array(sendings, { minLength: TOGETHER, maxLength: TOGETHER });
  const before = await watched.measure();
  let warm = before;
  for (let sent = 0; sent < requests && watched.isAlive; sent += ROUND) {
    const runs = Math.ceil(Math.min(ROUND, requests - sent) / TOGETHER);
    await campaign.check(
      { part: 'watched', seed: seed + sent / ROUND, runs },
      batches,
      (batch: readonly Sending[]) => watched.examine(batch),
      (batch) => `${batch.length} requests at once`,
    );
    if (sent + ROUND === WARM_UP)
      await campaign.conclude('watched', seed, async () => {
        warm = await watched.measure();
      });
  }
  await campaign.conclude('watched', seed, async () => {
    watched.assertAlive();
    const end = await watched.measure();
    tally.note(`memory after a collection: ${[before, warm, end].map(({ used }) => used).join(', ')} bytes`);
    tally.note(`descriptors: ${before.descriptors} and then ${end.descriptors}`);
    assert.ok(end.descriptors <= before.descriptors + SPARE_DESCRIPTORS, `${end.descriptors} descriptors`);
    if (requests > WARM_UP)
      assert.ok(end.used <= warm.used * MOST_GROWTH, `${warm.used} grew to ${end.used} bytes`);
    await watched.end();
  });
  watched.kill();
  await rm(folder, { recursive: true });
}
