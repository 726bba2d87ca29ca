import { parseArgs } from 'node:util';
import { Campaign } from './campaign.ts';
import { fuzz } from './all.ts';
import { Tally } from './tally.ts';

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '10000' }, seed: { type: 'string' } },
});
const requests = Number(values.requests);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const campaign = new Campaign();
const tally = new Tally();
process.on('unhandledRejection', (reason) => {
  campaign.blame(reason as Error, seed);
});
console.log(`seed ${seed}`);
const started = performance.now();
await fuzz({ campaign, tally, seed, requests, deadlineMs: 2000 });
console.log(
  `${tally.toString()}\n${tally.total} answers in ${Math.round((performance.now() - started) / 1000)} s`,
);
for (const { part, seed: again, input, error } of campaign.failings) {
  console.log(`\nFAILED ${part}, --seed ${again}\n  ${input}\n${error.message}`);
}
process.exitCode = campaign.failings.length > 0 ? 1 : 0;
