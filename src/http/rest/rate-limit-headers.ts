import type { Quota } from '#workspace/rate-limit.ts';

/** RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitHeaders(quotas: readonly Quota[]): Record<string, string> {
  if (quotas.length === 0) return {};
  return {
    'RateLimit-Policy': quotas
      .map(({ name, max, windowSeconds }) => `"${name}";q=${max};w=${windowSeconds}`)
      .join(', '),
    RateLimit: quotas
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${Math.max(0, remaining)};t=${resetSeconds}`)
      .join(', '),
  };
}
