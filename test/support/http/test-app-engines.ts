import { ENGINES } from '../store/engines.ts';
import type { TestWorkspaceOptions } from '../context.ts';
import { setUp, type Cleanup, type TestApp } from './test-app.ts';

/**
 * Starts the app on each engine. All of them before the first test is declared: with an await between two suites of a file
 * the runner takes the first one for the whole, and may clean up while the second runs.
 */
export async function setUpEngines(
  test: Cleanup,
  options: Partial<TestWorkspaceOptions> = {},
): Promise<(TestApp & { engine: string })[]> {
  return Promise.all(
    Object.entries(ENGINES).map(async ([engine, place]) => ({
      engine,
      ...(await setUp(test, { ...options, ...place() })),
    })),
  );
}
