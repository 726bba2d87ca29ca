import assert from 'node:assert/strict';
import test from 'node:test';
import { fuzz } from './fuzz.ts';
import { Campaign } from './campaign.ts';
import { Tally } from './tally.ts';

/** The machine may be busy with the other tests; the fuzzer itself allows two seconds. */
const DEADLINE_MS = 10_000;

test('1,500 hostile requests are each answered as the contract says', async () => {
  const campaign = new Campaign();
  await fuzz({ campaign, tally: new Tally(), seed: 20_260_302, requests: 1500, deadlineMs: DEADLINE_MS });
  const told = campaign.failings.map(
    ({ part, seed, input, error }) => `${part}, seed ${seed}: ${input}\n${error.message}`,
  );
  assert.equal(told.join('\n\n'), '');
});
