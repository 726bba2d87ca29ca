import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runScenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { Sandbox } from './support/sandbox.ts';

const SEED = 1;
/** Of those whose rounds are short. */
const ROUNDS: Readonly<Record<string, number>> = {
  'power-cut': 50,
  'erase-races': 50,
  'ignored-locks': 50,
  'postgres-cuts': 20,
  differential: 2,
};

// One after the other: each has several processes.
describe('a short round of', () => {
  for (const scenario of SCENARIOS)
    test(scenario.name, async (t) => {
      const sandbox = new Sandbox();
      t.after(() => sandbox.close());
      const rounds = ROUNDS[scenario.name] ?? 1;
      const { verdict, remark } = await runScenario(scenario, { rounds, seed: SEED, isShort: true }, sandbox);
      t.diagnostic(remark);
      // A scenario whose programs or rights this machine lacks says so.
      assert.notEqual(verdict, 'FAILED', remark);
    });
});
