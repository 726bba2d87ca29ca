import assert from 'node:assert/strict';
import test from 'node:test';
import { createRequestHandler } from '#http/request-handler.ts';
import type { Route } from '#http/responses/reply.ts';
import { loadTools } from '../../../tools/load.ts';
import { openTestWorkspace } from '../../support/context.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startApp } from '../../support/http/app.ts';
import { setUp } from '../../support/http/test-app.ts';

test('the table has one line for the address of each tool, and no address twice', async (t) => {
  let routes: readonly Route[] = [];
  await setUp(t, {}, {}, (options) => {
    const door = createRequestHandler(options);
    ({ routes } = door);
    return door.listener;
  });
  const addresses = routes.map(({ method, path }) => `${method} ${path}`);
  for (const { http } of await loadTools()) assert.ok(addresses.includes(http), http);
  assert.equal(new Set(addresses).size, addresses.length);
});

test('a tool is served at the address of its file', async (t) => {
  const world = await openTestWorkspace({ folder: await temporaryFolder(t) });
  const tools = world.tools.map((tool) =>
    tool.name === 'find_work' ? { ...tool, http: 'GET /api/tasks' as const } : tool,
  );
  const app = await startApp(world, { tools });
  t.after(async () => {
    await app.close();
    await world.store.close();
  });
  assert.equal((await fetch(`${app.url}/api/tasks`)).status, 200);
  assert.equal((await fetch(`${app.url}/api/work`)).status, 404);
});
