/** Stands for the test context that `setUp` expects. */
interface Cleanup {
  after: (cleanup: () => Promise<void>) => void;
  run: () => Promise<void>;
}

export function createCleanup(): Cleanup {
  const ends: (() => Promise<void>)[] = [];
  return {
    after: (cleanup) => {
      ends.push(cleanup);
    },
    run: async () => {
      for (const cleanup of ends.splice(0)) await cleanup();
    },
  };
}
