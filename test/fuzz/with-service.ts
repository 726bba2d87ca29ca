import { BEHIND_PROXY, setUp, type TestApp } from '../support/http/test-app.ts';
import type { TestWorkspaceOptions } from '../support/context.ts';

/** What `setUp` is given in the place of a test. */
export interface Ends {
  after: (end: () => Promise<void>) => void;
  run: () => Promise<void>;
}

export function after(): Ends {
  const ends: (() => Promise<void>)[] = [];
  return {
    after: (end) => {
      ends.push(end);
    },
    run: async () => {
      for (const end of ends.splice(0)) await end();
    },
  };
}

/** Runs a service of its own, which trusts X-Forwarded-For, for as long as `act` takes. */
export async function within(
  world: Partial<TestWorkspaceOptions>,
  act: (setting: TestApp) => Promise<void>,
): Promise<void> {
  const ends = after();
  const setting = await setUp(ends, world, BEHIND_PROXY);
  try {
    await act(setting);
  } finally {
    await ends.run();
  }
}
