import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckContext, PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { eachFeed, type FeedAddress } from '../feeds.ts';
import { checkKnownItems, decodeHtml, type ShownItem } from '../readers/known-items.ts';
import { pythonWith } from '../readers/programs.ts';

const SCRIPT = join(import.meta.dirname, '../readers/read-feedparser.py');

interface ParsedFeed {
  readonly version: string;
  /** Such as `atom10`; empty if it knows no such format. */
  readonly format: string;
  readonly error: string | null;
  readonly items: readonly (ShownItem & { readonly isHtml: boolean })[];
}

const pythonPath = (): string | undefined => pythonWith('feedparser');

async function parse({ commands, sandbox }: CheckContext, text: string): Promise<ParsedFeed> {
  const folder = await sandbox.createFolder();
  const file = join(folder, 'feed');
  await writeFile(file, text);
  const { code, stdout, stderr } = await commands.run(pythonPath()!, [SCRIPT, file], { folder });
  if (code !== 0) throw new Error(stderr.trim().slice(-200));
  return JSON.parse(stdout) as ParsedFeed;
}

/** @returns the version of feedparser */
async function examine(
  context: CheckContext,
  feed: FeedAddress,
  text: string,
  place: Place,
): Promise<string> {
  const { faults } = context;
  const { version, format, error, items } = await parse(context, text);
  faults.expect(error === null, place, `is not well formed: ${error}`);
  faults.expect(format === (feed.format === 'rss' ? 'rss20' : 'atom10'), place, `is read as "${format}"`);
  const shown = items.map(({ title, isHtml, ...item }) => ({
    ...item,
    title: isHtml ? decodeHtml(title) : title,
  }));
  if (feed.hasKnownThread) checkKnownItems(shown, place, faults);
  return version;
}

export const feedparser: PageCheck = {
  name: 'feedparser',
  description: 'feedparser reads the RSS and Atom feeds, with titles, authors and code as they were sent',
  missing: () =>
    pythonPath() === undefined ? 'no python3 has feedparser (Debian: python3-feedparser)' : undefined,
  async run(context) {
    let version = '-';
    await eachFeed(context, async (...feed) => {
      version = await examine(context, ...feed);
    });
    return `feedparser ${version}; it reads no JSON Feed`;
  },
};
