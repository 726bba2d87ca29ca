import test, { type TestContext, type TestOptions } from 'node:test';

type TestRun = (t: TestContext) => void | Promise<void>;

interface RegisterTest {
  (name: string, run: TestRun): void;
  (name: string, options: TestOptions, run: TestRun): void;
}

/**
 * Whether cross products of surface, engine and argument run whole: in `npm run test:all`, and for files that are
 * named. `npm test` runs a line through each dimension of them.
 */
export const IS_THOROUGH = process.env['TEST_THOROUGH'] === '1';

/** @returns all in a thorough run, else the first ones */
export function firstOf<Item>(items: readonly Item[], count = 1): readonly Item[] {
  return IS_THOROUGH ? items : items.slice(0, count);
}

/** A test that takes long: only a thorough run has it. */
export const thoroughTest: RegisterTest = IS_THOROUGH ? test : () => undefined;
