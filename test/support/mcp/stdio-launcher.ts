import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { createStdioSdks } from '#server/mcp-sdks.ts';
import { handlersOf } from './handlers.ts';
import { openTestWorkspace, type TestWorkspaceOptions } from '../context.ts';

/** Serves MCP on stdio over a test workspace, with the clock and ids of a test. */
const options = JSON.parse(process.argv[2] ?? '{}') as TestWorkspaceOptions;
mkdirSync(options.folder, { recursive: true });
// A client may launch a second process to probe the revision, and two processes cannot share a test
// workspace.
const folder = mkdtempSync(join(options.folder, 'world-'));
const database = options.database && {
  ...options.database,
  schema: `${options.database.schema}_${process.pid}`,
};
const { tools, workspace, store } = await openTestWorkspace({
  ...options,
  folder,
  ...(database && { database }),
});
const handlers = handlersOf({ tools, workspace });
const { ended, close } = serveStdio(handlers, createStdioSdks(handlers), () => undefined);
await ended;
workspace.waiters.stop();
await close();
await store.close();
