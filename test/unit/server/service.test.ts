import assert from 'node:assert/strict';
import test from 'node:test';
import { createService } from '#server/service.ts';
import { createLogger } from '#server/logger.ts';
import { readConfig } from '#settings/config.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openTestWorkspace } from '../../support/context.ts';
import { hide, erase } from '../../support/store/writes.ts';

const POST = 'post_019c9a31-6400-7000-8000-000000000001';

test('an erase clears the result cache at once; a hide does not', async (t) => {
  const { store, privateStore, tools } = await openTestWorkspace({ folder: await temporaryFolder(t) });
  t.after(() => store.close());
  const [config, logger] = [readConfig({}), createLogger('fatal')];
  const { workspace, resultCache } = createService({ config, logger, store, privateStore, tools }, null);
  const readFeed = tools.find(({ name }) => name === 'read_feed')!;
  await resultCache.run(readFeed, {}, { workspace, caller: { clientKey: LOOPBACK_CLIENT } });
  assert.ok(resultCache.size > 0);
  await hide(store, POST, 'a test');
  assert.ok(resultCache.size > 0);
  await erase(store, POST, 'a test');
  assert.equal(resultCache.size, 0);
});
