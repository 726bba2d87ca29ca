import assert from 'node:assert/strict';
import test from 'node:test';
import { Campaign } from './campaign.ts';
import { fuzzDifferential } from './fuzz-differential.ts';
import { Tally } from './tally.ts';

test('the service sends the bytes of Express and of the SDKs in response to 1,000 generated requests', async () => {
  const campaign = new Campaign();
  const tally = new Tally();
  await fuzzDifferential({ campaign, tally, seed: 20_261_121, requests: 1000, deadlineMs: 10_000 });
  const differences = campaign.failures.map(
    ({ seed, input, error }) => `seed ${seed}: ${input}\n${error.message}`,
  );
  assert.equal(differences.join('\n\n'), '');
  assert.equal(tally.total, 1000);
});
