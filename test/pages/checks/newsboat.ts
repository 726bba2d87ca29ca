import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckContext, PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { eachFeed, type FeedAddress } from '../feeds.ts';
import { asHtmlTitle, checkKnownItems, type ShownItem } from '../readers/known-items.ts';
import { missingProgram, pythonWith } from '../readers/programs.ts';

const SCRIPT = join(import.meta.dirname, '../readers/read-newsboat.py');

const pythonPath = (): string | undefined => pythonWith('sqlite3');

/** Lets newsboat fetch a feed over HTTP. @returns the items in its cache */
async function read({ commands, sandbox }: CheckContext, address: string): Promise<readonly ShownItem[]> {
  // A cache of its own for each feed: newsboat shows an item only in the first feed that has its id.
  const folder = await sandbox.createFolder();
  const [urls, cache, config] = ['urls', 'cache.db', 'config'].map((name) => join(folder, name));
  await writeFile(urls!, `${address}\n`);
  await writeFile(config!, '');
  const args = ['-u', urls!, '-c', cache!, '-C', config!, '-x', 'reload'];
  const { code, stdout, stderr } = await commands.runClient('newsboat', args, { folder });
  if (code !== 0) throw new Error(`newsboat fails: ${stdout.trim()} ${stderr.trim()}`);
  const items = await commands.run(pythonPath()!, [SCRIPT, cache!], { folder });
  if (items.code !== 0) throw new Error(`the cache of newsboat cannot be read: ${items.stderr.trim()}`);
  return JSON.parse(items.stdout) as readonly ShownItem[];
}

async function examine(context: CheckContext, feed: FeedAddress, place: Place): Promise<void> {
  const { faults } = context;
  const items = await read(context, `${feed.world.url}${feed.path}`);
  faults.expect(items.length > 0 || feed.world.state === 'empty', place, 'newsboat finds no items');
  if (feed.hasKnownThread)
    checkKnownItems(feed.format === 'rss' ? items.map(asHtmlTitle) : items, place, faults);
}

export const newsboat: PageCheck = {
  name: 'newsboat',
  description: 'newsboat reads the RSS and Atom feeds, with titles, authors and code as they were sent',
  missing: () =>
    missingProgram('newsboat') ??
    (pythonPath() === undefined ? 'no python3 that can read the cache of newsboat' : undefined),
  async run(context) {
    await eachFeed(context, (feed, _, place) => examine(context, feed, place));
    const folder = await context.sandbox.createFolder();
    const { stdout } = await context.commands.runClient('newsboat', ['-v'], { folder });
    return `${stdout.split(' - ')[0]!.trim()}; it reads no JSON Feed`;
  },
};
