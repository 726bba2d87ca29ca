/**
 * Whether cross products of surface, engine and argument run whole: in `npm run test:all`, and for files that are
 * named. `npm test` runs a line through each dimension of them.
 */
export const IS_THOROUGH = process.env['TEST_THOROUGH'] === '1';

/** @returns all in a thorough run, else the first ones */
export function firstOf<Item>(items: readonly Item[], count = 1): readonly Item[] {
  return IS_THOROUGH ? items : items.slice(0, count);
}
