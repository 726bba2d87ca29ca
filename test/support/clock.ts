/** A clock that stands still between calls of `set` and `advance`. */
export interface TestClock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** @param time ISO 8601 */
  set: (time: string) => void;
  /** Moves the clock back if `ms` is negative. */
  advance: (ms: number) => void;
}

/** @param start ISO 8601 */
export function testClock(start: string): TestClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    set: (time) => {
      now = Date.parse(time);
    },
    advance: (ms) => {
      now += ms;
    },
  };
}
