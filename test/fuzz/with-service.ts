import { BEHIND_PROXY, setUp, type TestApp } from '../support/http/test-app.ts';
import type { TestWorkspaceOptions } from '../support/context.ts';

/** Stands for the test context that `setUp` expects. */
export interface Cleanup {
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

/** Starts a service that trusts X-Forwarded-For, and stops it when `use` settles. */
export async function withService(
  options: Partial<TestWorkspaceOptions>,
  use: (setting: TestApp) => Promise<void>,
): Promise<void> {
  const cleanup = createCleanup();
  const setting = await setUp(cleanup, options, BEHIND_PROXY);
  try {
    await use(setting);
  } finally {
    await cleanup.run();
  }
}
