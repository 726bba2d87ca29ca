import assert from 'node:assert/strict';
import test from 'node:test';
import { fuzzHttp } from './fuzz-http.ts';
import { Campaign } from './campaign.ts';
import { Tally } from './tally.ts';

/** Generous, since other tests run at the same time; `npm run fuzz` allows two seconds. */
const DEADLINE_MS = 10_000;

test('each of 1,500 hostile requests gets a response that the contract allows', async () => {
  const campaign = new Campaign();
  await fuzzHttp({ campaign, tally: new Tally(), seed: 20_260_302, requests: 1500, deadlineMs: DEADLINE_MS });
  const failures = campaign.failures.map(
    ({ part, seed, input, error }) => `${part}, seed ${seed}: ${input}\n${error.message}`,
  );
  assert.equal(failures.join('\n\n'), '');
});
