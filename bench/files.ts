// Prints which files of src and tools run for each request on a warm server, from source, on a folder: a file
// counts if one of its functions runs. `node --import tsx bench/files.ts` prints them for a post and for a
// cached read.
import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '#settings/config.ts';
import { serveHttp } from '#server/serve-http.ts';

const ROOT = join(import.meta.dirname, '..');
/** Requests before the counted one, which load modules that are imported on demand. */
const WARM_UP = 20;
/** Requests that are counted. What runs for some of them only is a timer, such as that of the status. */
const COUNTED = 5;

const folder = await mkdtemp(join(tmpdir(), 'porchlight-files-'));
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const { baseUrl, stop } = await serveHttp(
  readConfig({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent', FEED_POSTS_PER_HOUR: '0' }),
);

let number = 0;
const REQUESTS: Readonly<Record<string, () => Promise<Response>>> = {
  'POST /api/feed': () =>
    fetch(`${baseUrl}/api/feed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: `WORK: message ${number++}` }),
    }),
  'GET /api/feed?limit=20, cached': () => fetch(`${baseUrl}/api/feed?limit=20`),
};

for (const [name, send] of Object.entries(REQUESTS)) {
  for (let n = 0; n < WARM_UP; n++) await (await send()).text();
  let files: readonly string[] | undefined;
  for (let n = 0; n < COUNTED; n++) {
    const found = await filesOf(send);
    files = files?.filter((file) => found.includes(file)) ?? found;
  }
  console.log(`${name}: ${files?.length} files\n${files?.map((file) => `  ${file}\n`).join('')}`);
}
await stop();
await rm(folder, { recursive: true });

/** @returns the files of which a function runs during a request, and what else runs meanwhile */
async function filesOf(send: () => Promise<Response>): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await (await send()).text();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url, functions }) => url.startsWith('file:') && functions.some(hasRun))
    .map(({ url }) => relative(ROOT, fileURLToPath(url)))
    .filter((file) => /^(?:src|tools)\//.test(file))
    .toSorted();
}

/** Whether a function has run. The module itself, which has no name and begins at 0, does not count. */
function hasRun({
  functionName,
  ranges: [range],
}: {
  functionName: string;
  ranges: { startOffset: number; count: number }[];
}) {
  return range !== undefined && range.count > 0 && (functionName !== '' || range.startOffset > 0);
}
