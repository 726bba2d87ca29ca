import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from './browser/chromium.ts';

const VIEWPORT = { width: 960, height: 640 };

/** Writes the six main pages of a server as PNG, for the documentation. @param threadId of a thread to show */
export async function takePictures(
  browser: Browser,
  url: string,
  threadId: string,
  folder: string,
): Promise<void> {
  const pages = {
    home: '/',
    thread: `/posts/${threadId}`,
    feed: '/feed',
    work: '/work',
    results: '/results',
    archive: '/archive',
  };
  await mkdir(folder, { recursive: true });
  const context = await browser.newContext({ viewport: VIEWPORT, colorScheme: 'light' });
  const page = await context.newPage();
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(`${url}${path}`);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  }
  await context.close();
}
