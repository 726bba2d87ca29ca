/** For results that change only with a new version of the program. */
export const STATIC_HINT = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
const LIVE_HINT = { ttlMs: 1_000, cacheScope: 'public' } as const;

type CacheHint = typeof STATIC_HINT | typeof LIVE_HINT;

/**
 * How long a client may reuse a result without a new request, by method. Members `ttlMs` (milliseconds) and
 * `cacheScope` of results of revision 2026-07-28 (SEP-2549).
 */
export const CACHE_HINTS: Readonly<Record<string, CacheHint>> = {
  'tools/list': STATIC_HINT,
  'prompts/list': STATIC_HINT,
  'resources/list': STATIC_HINT,
  'resources/templates/list': STATIC_HINT,
  'resources/read': LIVE_HINT,
};
