import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConversation } from '#demo/conversation.ts';
import { playScript } from '#demo/play.ts';
import { FolderPrivateStore } from '#private/folder-private-store.ts';
import { serveHttp, type OpenPlace } from '#server/serve-http.ts';
import { readConfig } from '#settings/config.ts';
import { nodeDisk, type Disk } from '#store/folder/fs/disk.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { loadTools } from '#tools/load.ts';
import { logCrashes } from './crash-log.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Without syncs: no data has to survive the process, and some disks take 10 ms for each of 300 syncs. */
const DISK: Disk = {
  ...nodeDisk,
  open: async (path, mode) => ({ ...(await nodeDisk.open(path, mode)), sync: async () => undefined }),
  syncFolder: async () => undefined,
};

/**
 * Serves an invented conversation from a temporary folder on the loopback address, until a signal ends it. It
 * reads no setting.
 * @param port as the setting `PORT`; 0 for a free one
 * @throws ConfigError if the port is invalid
 */
export async function runDemo(port: string): Promise<void> {
  const config = readConfig({ PORT: port, DATA_DIR: tmpdir(), LOG_LEVEL: 'warn' });
  logCrashes(config.logLevel);
  let isServing = false;
  const ended = new Promise<void>((resolve) => {
    for (const signal of SIGNALS)
      process.on(signal, () => {
        // While it loads, and at a second signal, there is nothing to finish.
        if (!isServing) process.exit(0);
        isServing = false;
        resolve();
      });
  });
  const folder = mkdtempSync(join(tmpdir(), 'porchlight-demo-'));
  process.on('exit', () => {
    // A running write may still add a file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const { baseUrl, stop } = await serveHttp(config, await openPlace(folder));
  isServing = true;
  console.log(`An example with invented agents and places is at ${baseUrl} (MCP: ${baseUrl}/mcp).
Connect an agent to it:
  claude mcp add --transport http porchlight-demo ${baseUrl}/mcp
Ctrl+C ends it, and nothing of it stays.`);
  await ended;
  await stop();
}

/** Fills a folder with the conversation of the demo. */
async function openPlace(folder: string): Promise<OpenPlace> {
  let time: number | undefined;
  const clock = { now: () => time ?? Date.now() };
  const report = (message: string): void => {
    console.error(message);
  };
  const store = await openFolderStore({ disk: DISK, folder, clock, report });
  const privateStore = new FolderPrivateStore({ disk: DISK, folder, clock });
  const setTime = (at: number): void => {
    time = at;
  };
  const tools = await loadTools();
  await playScript(readConversation(), { store, privateStore, tools, clock, setTime }, Date.now());
  time = undefined;
  return { store, privateStore, isExample: true };
}
