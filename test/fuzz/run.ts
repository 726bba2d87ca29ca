import { parseArgs } from 'node:util';
import { fuzzHttp } from './fuzz-http.ts';
import { Campaign } from './campaign.ts';
import { fuzzDifferential } from './fuzz-differential.ts';
import { fuzzTime } from './fuzz-time.ts';
import { Tally } from './tally.ts';

/** Of so many requests one is a text whose readers are measured, which takes 20 ms. */
const TEXTS_SHARE = 5;

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    seed: { type: 'string' },
    /** Compares the map of addresses with Express, and runs nothing else. */
    differential: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests ?? (values.differential ? 20_000 : 10_000));
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const campaign = new Campaign();
const tally = new Tally();
process.on('unhandledRejection', (reason) => {
  campaign.recordUnhandled(reason as Error, seed);
});
console.log(`seed ${seed}`);
const started = performance.now();
const options = { campaign, tally, seed, deadlineMs: 2000 };
if (values.differential) await fuzzDifferential({ ...options, requests, deadlineMs: 10_000 });
else {
  await fuzzHttp({ ...options, requests });
  await fuzzTime({ ...options, requests: Math.ceil(requests / TEXTS_SHARE) });
}
console.log(
  `${tally.toString()}\n${tally.total} responses in ${Math.round((performance.now() - started) / 1000)} s`,
);
for (const { part: name, seed: again, input, error } of campaign.failures) {
  console.log(`\nFAILED ${name}, --seed ${again}\n  ${input}\n${error.message}`);
}
process.exitCode = campaign.failures.length > 0 ? 1 : 0;
