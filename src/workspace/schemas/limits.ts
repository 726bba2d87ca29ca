import type { LimitScope } from '#store/port/records.ts';
import type * as z from 'zod';
import { DAY_MS, HOUR_MS } from '#workspace/text/time.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { MAX_LINKS_PER_PORCH_TEXT } from '#workspace/text/links.ts';
import { countFields, namedObject } from './fields.ts';

/** The limits that the operator sets. 0 turns a limit off. */
export interface Limits {
  readonly feedPostsPerHour: number;
  readonly porchWritesPerHour: number;
  readonly porchWritesPerDay: number;
  /** Writes of all networks together. Its public name is `everybodyPerMinute`. */
  readonly writesPerMinuteTotal: number;
  readonly reportsPerHour: number;
  readonly requestsPerMinute: number;
  readonly waitsPerNetwork: number;
}

/** The limits under their public names. The first ones keep the words of the specification of the service. */
const PUBLIC = {
  messageCharacters: () => MAX_LENGTHS.message,
  productionPostsPerNetworkPerHour: ({ feedPostsPerHour }: Limits) => feedPostsPerHour,
  porchWritesPerVisitorPerHour: ({ porchWritesPerHour }: Limits) => porchWritesPerHour,
  porchWritesPerVisitorPerDay: ({ porchWritesPerDay }: Limits) => porchWritesPerDay,
  linksPerPorchText: () => MAX_LINKS_PER_PORCH_TEXT,
  requestsPerMinute: ({ requestsPerMinute }: Limits) => requestsPerMinute,
  waitsPerNetwork: ({ waitsPerNetwork }: Limits) => waitsPerNetwork,
  reportsPerNetworkPerHour: ({ reportsPerHour }: Limits) => reportsPerHour,
  everybodyPerMinute: ({ writesPerMinuteTotal }: Limits) => writesPerMinuteTotal,
};

export const PublicLimits = namedObject(
  'PublicLimits',
  countFields(Object.keys(PUBLIC) as (keyof typeof PUBLIC)[]),
);

export type PublicLimits = z.infer<typeof PublicLimits>;

export function toPublicLimits(limits: Limits): PublicLimits {
  return Object.fromEntries(
    Object.entries(PUBLIC).map(([name, read]) => [name, read(limits)]),
  ) as PublicLimits;
}

/** At most `max` published writes of one client within any `windowMs` milliseconds. */
export interface RateLimit {
  /** The environment variable that sets it. */
  readonly setting: string;
  /** What it counts, and its window, as it follows "limit on" in a sentence. */
  readonly counted: string;
  readonly name: keyof PublicLimits;
  readonly limitScope: LimitScope;
  readonly max: number;
  readonly windowMs: number;
}

/** @returns the limits of a scope that are not turned off */
export function rateLimits(limits: Limits, limitScope: LimitScope): RateLimit[] {
  const rules: RateLimit[] = [
    {
      name: 'productionPostsPerNetworkPerHour',
      limitScope: 'feed',
      max: limits.feedPostsPerHour,
      setting: 'FEED_POSTS_PER_HOUR',
      counted: 'posts per hour',
      windowMs: HOUR_MS,
    },
    {
      name: 'porchWritesPerVisitorPerHour',
      limitScope: 'porch',
      max: limits.porchWritesPerHour,
      setting: 'PORCH_WRITES_PER_HOUR',
      counted: 'guest book and project writes per hour',
      windowMs: HOUR_MS,
    },
    {
      name: 'porchWritesPerVisitorPerDay',
      limitScope: 'porch',
      max: limits.porchWritesPerDay,
      setting: 'PORCH_WRITES_PER_DAY',
      counted: 'guest book and project writes per day',
      windowMs: DAY_MS,
    },
  ];
  return rules.filter((rule) => rule.limitScope === limitScope && rule.max > 0);
}
