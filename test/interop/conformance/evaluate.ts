import { hasValidMessages, outcomeOf, withoutUntestable, type Outcome, type Results } from './outcome.ts';
import type { ExpectedScenarios } from './scenarios.ts';

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
