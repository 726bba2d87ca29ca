import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eachPage, VIEWS } from './browser/each-page.ts';
import type { CheckContext } from './check.ts';

/**
 * Writes every page in every view as `full-thread-390x844-dark.png`.
 * @param fullPage the whole page instead of what the window shows
 * @returns how many were written
 */
export async function takeScreenshots(
  context: CheckContext,
  folder: string,
  fullPage: boolean,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  let written = 0;
  await eachPage(context, { views: VIEWS }, async ({ page, target }, view) => {
    const { width, height, colorScheme } = view;
    const name = `${target.world.state}-${target.name}-${width}x${height}-${colorScheme}.png`;
    await page.screenshot({ path: join(folder, name), fullPage });
    written += 1;
  });
  return written;
}
