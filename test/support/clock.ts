/** A clock that stands until it is moved. */
export interface TestClock {
  now: () => number;
  set: (time: string) => void;
  advance: (ms: number) => void;
}

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
