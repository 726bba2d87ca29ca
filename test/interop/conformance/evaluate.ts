import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExpectedScenarios } from './scenarios.ts';

/** The check that the suite makes in every scenario: whether the messages fit the schema of the revision. */
const WIRE_CHECK = 'wire-schema-valid';

/** Begins the message of a check that needs a tool of the suite. */
const NOT_TESTABLE = 'Not testable';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Of a scenario without a failed check, `little checked` if a check warns, or none but that of the schema succeeds. */
export type Outcome = 'passed' | 'little checked' | 'failed';

/** The checks of each scenario. */
export type Results = ReadonlyMap<string, readonly Check[]>;

/** Reads the results of a run. The suite names folders `server-`, scenario, time. */
export async function readResults(folder: string): Promise<Results> {
  const results = new Map<string, readonly Check[]>();
  for (const name of (await readdir(folder)).toSorted()) {
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
    results.set(
      name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
      JSON.parse(text) as Check[],
    );
  }
  return results;
}

function outcomeOf(checks: readonly Check[]): Outcome {
  const has = (status: string): boolean =>
    checks.some((check) => check.id !== WIRE_CHECK && check.status === status);
  if (checks.some(({ status }) => status === 'FAILURE')) return 'failed';
  return has('SUCCESS') && !has('WARNING') ? 'passed' : 'little checked';
}

/** @returns the checks of a server without the tools of the suite, without those that need one */
const withoutUntestable = (checks: readonly Check[]): Check[] =>
  checks.filter(({ errorMessage = '' }) => !errorMessage.startsWith(NOT_TESTABLE));

/** Whether each message fits the schema of the revision. */
const hasValidMessages = (checks: readonly Check[]): boolean =>
  !checks.some(({ id, status }) => id === WIRE_CHECK && status === 'FAILURE');

/** The results of one revision. */
export interface RevisionReport {
  readonly version: string;
  /** Of every scenario, against the fixture. */
  readonly fixture: ReadonlyMap<string, Outcome>;
  /** Of those that the service has to pass, against the service. */
  readonly service: ReadonlyMap<string, Outcome>;
  /** What differs from the expectation; empty if the run passed. */
  readonly surprises: readonly string[];
}

export function evaluate(
  { version, failedByFixture, ofService }: ExpectedScenarios,
  fixtureResults: Results,
  serviceResults: Results,
): RevisionReport {
  const expectedToFail = [...failedByFixture.values()].flat();
  const fixture = new Map([...fixtureResults].map(([name, checks]) => [name, outcomeOf(checks)]));
  const service = new Map(
    ofService.map((name) => [name, outcomeOf(withoutUntestable(serviceResults.get(name) ?? []))]),
  );
  const missing = [...expectedToFail, ...ofService].filter((name) => !fixture.has(name));
  const wrong = [...fixture].filter(
    ([name, outcome]) => (outcome === 'failed') !== expectedToFail.includes(name),
  );
  const failedByService = [...service].filter(([, outcome]) => outcome === 'failed');
  const invalid = [...fixtureResults, ...serviceResults].filter(([, checks]) => !hasValidMessages(checks));
  return {
    version,
    fixture,
    service,
    surprises: [
      ...missing.map((name) => `${name}: not in the suite`),
      ...wrong.map(([name, outcome]) => `${name}: ${outcome} by the fixture`),
      ...failedByService.map(([name]) => `${name}: failed by the service`),
      ...invalid.map(([name]) => `${name}: a message does not fit the schema`),
    ],
  };
}
