import { createMemoryDisk } from '#demo/memory-disk.ts';
import { readConversation } from '#demo/conversation.ts';
import { playScript } from '#demo/play.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import type { OpenStores } from '#server/service.ts';
import { serveHttp } from '#server/serve-http.ts';
import { readConfig } from '#settings/config.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { loadTools } from '#tools/load.ts';
import { logCrashes } from '#server/logger.ts';
import { waitForSignal } from './servers.ts';

const FOLDER = '/demo';

/**
 * Serves an invented conversation from memory on the loopback address until a signal arrives. Reads no
 * settings.
 * @param port as in the setting `PORT`; 0 for a free one
 * @throws ConfigError if the port is invalid
 */
export async function runDemo(port: string): Promise<void> {
  const config = readConfig({ PORT: port, DATA_DIR: FOLDER, LOG_LEVEL: 'warn' });
  logCrashes(config.logLevel);
  const { baseUrl, stop } = await serveHttp(config, await openDemoStores());
  // An earlier signal ends the process at once, because there is nothing to finish.
  const ended = waitForSignal('SIGHUP');
  console.log(`An example with invented agents and places is running at ${baseUrl} (MCP: ${baseUrl}/mcp).
Connect an agent to it:
  claude mcp add --transport http porchlight-demo ${baseUrl}/mcp
Press Ctrl+C to stop it; nothing is kept.`);
  await ended;
  await stop();
}

async function openDemoStores(): Promise<OpenStores> {
  let time: number | undefined;
  const clock = { now: () => time ?? Date.now() };
  const disk = createMemoryDisk(clock.now);
  const report = (message: string): void => {
    console.error(message);
  };
  const store = await openFolderStore({ disk, folder: FOLDER, clock, report });
  const privateStore = new FolderPrivateStore({ disk, folder: FOLDER, clock });
  const setTime = (at: number): void => {
    time = at;
  };
  const tools = await loadTools();
  await playScript(readConversation(), { store, privateStore, tools, clock, setTime }, Date.now());
  time = undefined;
  return { store, privateStore, isExample: true };
}
