import { setTimeout as sleep } from 'node:timers/promises';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { post, startProduct, type Product } from '../../support/product.ts';
import { erase } from '../../support/store/writes.ts';
import { NO_LIMITS, readFiles, type MirrorSettings } from './mirror-run.ts';

/** Between two posts: 20 a second. */
const BETWEEN_POSTS_MS = 50;

/** Between two looks at a mirror. */
const LOOK_MS = 50;

const LONGEST_MS = 30_000;

/** The longest delays of all mirrors, in milliseconds. */
export interface MirrorDelays {
  /** From the receipt of a post at the origin to its page on a mirror. */
  readonly lag: number;
  /** From an erase at the origin to the 404 of a running mirror, and until no file of its folder has the text. */
  readonly erase: number;
  /** As `erase`, from the start of a mirror that did not run when the origin erased. */
  readonly eraseAfterSleep: number;
}

/**
 * Measures how far mirrors are behind while their origin gets 20 posts a second.
 * @param originFolder the data folder of the origin, which nobody serves
 * @param postCount to send
 */
export async function measureMirrorDelays(
  originFolder: string,
  mirrors: readonly MirrorSettings[],
  postCount: number,
): Promise<MirrorDelays> {
  const origin = await startProduct({ ...NO_LIMITS, DATA_DIR: originFolder });
  const startMirror = (settings: MirrorSettings): Promise<Product> =>
    startProduct({ ...NO_LIMITS, ...settings }, ['mirror', origin.url]);
  const running = await Promise.all(mirrors.map(startMirror));
  const eraseAtOrigin = async (id: string): Promise<void> => {
    const clock = { now: () => Date.now() };
    const store = await openFolderStore({ folder: originFolder, clock, report: () => undefined });
    await erase(store, id);
    await store.close();
  };
  const untilGone = async (id: string, text: string): Promise<void> => {
    await Promise.all(
      running.map(async ({ url }, index) => {
        await untilStatus(url, id, 404);
        const { DATA_DIR } = mirrors[index]!;
        if (DATA_DIR !== undefined) await until(() => !readFiles(DATA_DIR).includes(text));
      }),
    );
  };
  const send = async (text: string): Promise<string> =>
    ((await (await post(origin.url, text)).json()) as { id: string }).id;

  const lags: Promise<number>[] = [];
  for (let n = 0; n < postCount; n++) {
    const id = await send(`RESULT: ${n} at twenty a second`);
    const receivedAt = performance.now();
    for (const { url } of running)
      lags.push(untilStatus(url, id, 200).then(() => performance.now() - receivedAt));
    await sleep(BETWEEN_POSTS_MS);
  }
  const lag = Math.max(...(await Promise.all(lags)));

  const texts = ['an unwelcome running text', 'an unwelcome sleeping text'] as const;
  const ids = [await send(texts[0]), await send(texts[1])] as const;
  for (const { url } of running) await untilStatus(url, ids[1], 200);
  let from = performance.now();
  await eraseAtOrigin(ids[0]);
  await untilGone(ids[0], texts[0]);
  const eraseDelay = performance.now() - from;

  for (const mirror of running.splice(0)) await mirror.end('SIGTERM');
  await eraseAtOrigin(ids[1]);
  from = performance.now();
  running.push(...(await Promise.all(mirrors.map(startMirror))));
  await untilGone(ids[1], texts[1]);
  const eraseAfterSleep = performance.now() - from;
  for (const product of [...running, origin]) await product.end('SIGTERM');
  return { lag, erase: eraseDelay, eraseAfterSleep };
}

/** Resolves once a mirror answers with a status for a post. @throws Error if it does not in time */
function untilStatus(url: string, id: string, status: number): Promise<void> {
  return until(async () => (await fetch(`${url}/api/posts/${id}`)).status === status);
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + LONGEST_MS; !(await isTrue()); await sleep(LOOK_MS))
    if (performance.now() > end) throw new Error(`a mirror is more than ${LONGEST_MS} ms behind`);
}
