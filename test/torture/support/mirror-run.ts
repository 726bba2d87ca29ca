import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { LAUNCHER, post, runProgram, startProduct } from '../../support/product.ts';
import { compareSurfaces } from './compare-surfaces.ts';
import type { SeededRandom } from './random.ts';
import { WrittenRecords, writeAtRandom } from './random-writer.ts';

export type MirrorSettings = Readonly<Record<string, string>>;

interface MirrorRunOptions {
  readonly random: SeededRandom;
  /** The data folder of the origin, empty. */
  readonly originFolder: string;
  readonly mirrors: readonly MirrorSettings[];
  /** How often a mirror is killed, one after the other. */
  readonly cuts: number;
  /** The longest time that a mirror runs before it is killed. */
  readonly maxUptimeMs: number;
  /** The longest pause of a writer. */
  readonly maxPauseMs: number;
  readonly log?: (message: string) => void;
}

interface MirrorRun {
  /** What differs in the end, and what a mirror does with an erase. Empty if every mirror equals its origin. */
  readonly faults: readonly string[];
  readonly records: number;
  readonly erased: number;
}

export const NO_LIMITS = {
  FEED_POSTS_PER_HOUR: '0',
  PORCH_WRITES_PER_HOUR: '0',
  PORCH_WRITES_PER_DAY: '0',
  REQUESTS_PER_MINUTE: '0',
};

/** Three writers fill an origin, while its mirrors are killed at random moments. Then compares all of them. */
export async function runMirrors(options: MirrorRunOptions): Promise<MirrorRun> {
  const { random, originFolder, mirrors, cuts, maxUptimeMs, maxPauseMs, log } = options;
  const origin = await startProduct({ ...NO_LIMITS, DATA_DIR: originFolder });
  const written = new WrittenRecords();
  const faults: string[] = [];
  let isWriting = true;
  const openWriter = () =>
    openFolderStore({ folder: originFolder, clock: { now: () => Date.now() }, report: () => undefined });
  const stores = [await openWriter(), await openWriter()];
  const writers = stores.map(async (store) => {
    while (isWriting) {
      await writeAtRandom(store, random, written);
      await sleep(random.below(maxPauseMs));
    }
  });
  const poster = async (): Promise<void> => {
    for (let n = 0; isWriting; n++) {
      await post(origin.url, `RESULT: ${n} over REST`);
      await sleep(random.below(maxPauseMs));
    }
  };
  writers.push(poster());
  for (let cut = 0; cut < cuts; cut++) {
    await killAtRandom(origin.url, mirrors[cut % mirrors.length]!, random.below(maxUptimeMs));
    if (cut % 50 === 49) log?.(`${cut + 1} of ${cuts} cuts`);
  }
  isWriting = false;
  await Promise.all(writers);
  for (const store of stores) await store.close();
  for (const [index, settings] of mirrors.entries()) {
    const { status, stderr } = await runProgram(['mirror', origin.url, '--once'], settings);
    if (status !== 0 && status !== 3) faults.push(`mirror ${index} ends with ${status}: ${stderr}`);
    const mirror = await startProduct({ ...NO_LIMITS, ...settings }, ['mirror', origin.url]);
    const differences = await compareSurfaces({ origin: origin.url, mirror: mirror.url });
    faults.push(...differences.map((surface) => `mirror ${index} differs: ${surface}`));
    await mirror.end('SIGTERM');
  }
  await origin.end('SIGTERM');
  const erasedWords = [...written.erased].map((id) => written.words.get(id) ?? '');
  for (const { DATA_DIR } of mirrors) {
    if (DATA_DIR === undefined) continue;
    const bytes = readFiles(DATA_DIR);
    const left = erasedWords.filter((word) => bytes.includes(word));
    if (left.length > 0) faults.push(`${left.length} erased texts are in files of the mirror`);
  }
  return { faults, records: written.ids.length, erased: written.erased.size };
}

/** Runs a mirror for a while, and kills it. */
async function killAtRandom(origin: string, settings: MirrorSettings, uptimeMs: number): Promise<void> {
  const child = spawn(process.execPath, [LAUNCHER, 'mirror', origin], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], PORT: '0', ...settings },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await Promise.race([exited, sleep(uptimeMs)]);
  child.kill('SIGKILL');
  await exited;
}

/** @returns the bytes of all files of a folder; those that a server removes meanwhile may be missing */
export function readFiles(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).filter((path) => existsSync(path));
  return Buffer.concat(paths.map((path) => readFileSync(path)));
}
