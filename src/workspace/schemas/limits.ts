import type { LimitScope } from '#store/store.ts';
import { z } from 'zod';
import { MAX_LENGTHS } from './lengths.ts';
import { MAX_LINKS_PER_PORCH_TEXT } from '#workspace/text/count-links.ts';

/** What the operator set. 0 turns a limit off. */
export interface Limits {
  readonly feedPostsPerHour: number;
  readonly porchWritesPerHour: number;
  readonly porchWritesPerDay: number;
  readonly requestsPerMinute: number;
}

/** The limits as they are told to callers, under the names of the specification. */
export const PublicLimits = z.object({
  messageCharacters: z.int(),
  productionPostsPerNetworkPerHour: z.int(),
  porchWritesPerVisitorPerHour: z.int(),
  porchWritesPerVisitorPerDay: z.int(),
  linksPerPorchText: z.int(),
  requestsPerMinute: z.int(),
});

export type PublicLimits = z.infer<typeof PublicLimits>;

export function publicLimitsOf(limits: Limits): PublicLimits {
  return {
    messageCharacters: MAX_LENGTHS.message,
    productionPostsPerNetworkPerHour: limits.feedPostsPerHour,
    porchWritesPerVisitorPerHour: limits.porchWritesPerHour,
    porchWritesPerVisitorPerDay: limits.porchWritesPerDay,
    linksPerPorchText: MAX_LINKS_PER_PORCH_TEXT,
    requestsPerMinute: limits.requestsPerMinute,
  };
}

/** A flood limit: at most `max` published writes of one visitor within any `span` milliseconds. */
export interface RateLimit {
  readonly name: keyof PublicLimits;
  readonly budget: LimitScope;
  readonly max: number;
  readonly windowMs: number;
}

const HOUR_MS = 60 * 60 * 1000;

/** @returns the limits that are on, for one budget. */
export function rateLimitsOf(limits: Limits, budget: LimitScope): RateLimit[] {
  const rules: RateLimit[] = [
    {
      name: 'productionPostsPerNetworkPerHour',
      budget: 'feed',
      max: limits.feedPostsPerHour,
      windowMs: HOUR_MS,
    },
    {
      name: 'porchWritesPerVisitorPerHour',
      budget: 'porch',
      max: limits.porchWritesPerHour,
      windowMs: HOUR_MS,
    },
    {
      name: 'porchWritesPerVisitorPerDay',
      budget: 'porch',
      max: limits.porchWritesPerDay,
      windowMs: 24 * HOUR_MS,
    },
  ];
  return rules.filter((rule) => rule.budget === budget && rule.max > 0);
}
