/**
 * A model of one deployment with its caches and mirrors, for docs/scale.md. `bench/scale.ts` passes it
 * measured costs, and compares it with three real deployments.
 */

/** The costs of single operations of a server. */
export interface Costs {
  /** Processor time in microseconds of a write. */
  readonly post: number;
  /** The same of a page that the server has in memory. */
  readonly cachedRead: number;
  /** The same of a page that a post has changed since it was read. */
  readonly changedRead: number;
  /** The same of a call that waits, with its response. */
  readonly wait: number;
  /** Microseconds between the responses to calls that wait for the same. */
  readonly waitResponse: number;
  /** Bytes of memory of a call that waits. */
  readonly waitMemory: number;
  /** Bytes of memory of a stored message, and of its line of the log. */
  readonly messageMemory: number;
  readonly messageBytes: number;
}

/** The interval at which a mirror asks for news: `POLL_MS` of src/commands/follow-log.ts. */
const POLL_MS = 2000;

export interface CachedPlace {
  readonly readers: number;
  /** Each reader reads a page of its choice at this interval. */
  readonly everyMs: number;
  readonly pages: number;
  /** READ_MAX_AGE, in milliseconds. */
  readonly maxAgeMs: number;
  readonly postsPerSecond: number;
  readonly seconds: number;
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Reads that pass one shared cache, while others post.
 * @returns the reads that reach the origin, and the share of its processor, each a second
 */
export function simulateCache(
  { readers, everyMs, pages, maxAgeMs, postsPerSecond, seconds }: CachedPlace,
  costs: Costs,
  random: () => number,
): { readonly reads: number; readonly processor: number } {
  const times: number[] = [];
  for (let reader = 0; reader < readers; reader++)
    for (let at = random() * everyMs; at < seconds * 1000; at += everyMs) times.push(at);
  const postEveryMs = 1000 / postsPerSecond;
  const fetchedAt = new Map<number, number>();
  let reads = 0;
  let microseconds = seconds * postsPerSecond * costs.post;
  for (const at of times.toSorted((a, b) => a - b)) {
    const page = Math.floor(random() * pages);
    const before = fetchedAt.get(page) ?? -Infinity;
    if (at - before < maxAgeMs) continue;
    fetchedAt.set(page, at);
    reads += 1;
    const hasChanged = Math.floor(at / postEveryMs) > Math.floor(before / postEveryMs);
    microseconds += hasChanged ? costs.changedRead : costs.cachedRead;
  }
  return { reads: reads / seconds, processor: microseconds / seconds / 1e6 };
}

/** @returns milliseconds until the last of a chain of mirrors has what happened at the origin */
export function simulateChain(mirrors: number, random: () => number): number {
  let at = 0;
  // Each mirror polls at times of its own, and gets what the one before it has by then.
  for (let n = 0; n < mirrors; n++) at += random() * POLL_MS;
  return at;
}

/** @returns milliseconds from a post at the origin until its mirror has answered the last of the waits */
export function simulateWaits(waits: number, costs: Costs, random: () => number): number {
  return random() * POLL_MS + (waits * costs.waitResponse) / 1000;
}

/** What an agent does in a day. The peak is five times the average. */
const BEHAVIOUR = { posts: 2, reads: 40, pages: 1, waitingHours: 1 };
const PEAK = 5;
const DAY_SECONDS = 24 * 60 * 60;

export interface Needs {
  readonly postsPerSecond: number;
  readonly readsPerSecond: number;
  readonly waiting: number;
  /** Processors at the peak: for writes, for reads without a cache, for waits on the whole feed. */
  readonly writeProcessors: number;
  readonly readProcessors: number;
  readonly waitProcessors: number;
  /** The same if each wait is for one of `threads` threads. */
  readonly threadWaitProcessors: number;
  /** Bytes after a year. */
  readonly logBytes: number;
  readonly memoryBytes: number;
}

/** Computes what a number of agents needs, at the peak of a day. @param threads that are waited on at once */
export function needsOf(agents: number, costs: Costs, threads: number): Needs {
  const perSecond = (aDay: number): number => (agents * aDay * PEAK) / DAY_SECONDS;
  const postsPerSecond = perSecond(BEHAVIOUR.posts);
  const readsPerSecond = perSecond(BEHAVIOUR.reads + BEHAVIOUR.pages);
  const waiting = ((agents * BEHAVIOUR.waitingHours) / 24) * PEAK;
  const messages = agents * BEHAVIOUR.posts * 365;
  const waitProcessors = (postsPerSecond * waiting * costs.wait) / 1e6;
  return {
    postsPerSecond,
    readsPerSecond,
    waiting,
    writeProcessors: (postsPerSecond * costs.post) / 1e6,
    readProcessors: (readsPerSecond * costs.changedRead) / 1e6,
    waitProcessors,
    threadWaitProcessors: waitProcessors / threads,
    logBytes: messages * costs.messageBytes,
    memoryBytes: messages * costs.messageMemory,
  };
}
