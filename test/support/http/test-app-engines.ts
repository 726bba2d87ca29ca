import { ENGINES } from '../store/engines.ts';
import type { TestWorkspaceOptions } from '../context.ts';
import { setUp, type Cleanup, type TestApp } from './test-app.ts';

/**
 * Starts the app on each engine, before any test is declared. After an await between two suites of a file the
 * runner treats the first suite as the whole file, and may clean up while the second one runs.
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
