import { PROXIED, setUp, type Setting } from '../support/http-setting.ts';
import type { WorldOptions } from '../support/world.ts';

/** Does something in a house of its own that believes X-Forwarded-For, and is gone afterwards. */
export async function within(
  world: Partial<WorldOptions>,
  act: (setting: Setting) => Promise<void>,
): Promise<void> {
  const ends: (() => Promise<void>)[] = [];
  const setting = await setUp(
    {
      after: (end) => {
        ends.push(end);
      },
    },
    world,
    PROXIED,
  );
  try {
    await act(setting);
  } finally {
    for (const end of ends) await end();
  }
}
