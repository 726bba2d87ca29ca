import { serverOf } from '#mcp/server.ts';
import { serveStdio } from '#mcp/stdio.ts';
import { openWorld, type WorldOptions } from './world.ts';

/** MCP over stdio as the product speaks it, in a world whose clock and ids are a test's. */
const options = JSON.parse(process.argv[2] ?? '{}') as WorldOptions;
const { tools, workspace, store } = await openWorld(options);
const { ended, close } = await serveStdio(serverOf({ tools, workspace, report: () => undefined }), () => undefined);
await ended;
await close();
await store.close();
