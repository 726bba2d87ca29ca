import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckContext, PageCheck } from '../check.ts';
import type { Place } from '../faults.ts';
import { eachFeed, type FeedAddress } from '../feeds.ts';
import { asHtmlTitle, checkKnownItems, type ShownItem } from '../readers/known-items.ts';
import { missingProgram } from '../readers/programs.ts';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', '\\': '\\' };

/** A line of sfeed(5): time, title, link, content, type of the content, id, author, enclosure, category. */
function toItem(line: string): ShownItem {
  const [, title = '', , content = '', , , author = ''] = line.split('\t');
  const unescaped = content.replaceAll(/\\([nt\\])/g, (_, letter: string) => ESCAPES[letter]!);
  return { title, author: author || null, content: unescaped };
}

async function examine(
  { commands, sandbox, faults }: CheckContext,
  feed: FeedAddress,
  text: string,
  place: Place,
): Promise<void> {
  const folder = await sandbox.createFolder();
  await writeFile(join(folder, 'feed'), text);
  const { code, stdout, stderr } = await commands.run('sh', ['-c', 'sfeed < feed'], { folder });
  if (code !== 0) throw new Error(`sfeed fails: ${stderr.trim()}`);
  const items = stdout.split('\n').filter(Boolean).map(toItem);
  faults.expect(items.length > 0 || feed.world.state === 'empty', place, 'sfeed finds no items');
  if (feed.hasKnownThread)
    checkKnownItems(feed.format === 'rss' ? items.map(asHtmlTitle) : items, place, faults);
}

export const sfeed: PageCheck = {
  name: 'sfeed',
  description: 'sfeed reads the RSS and Atom feeds, with titles, authors and code as they were sent',
  missing: () => missingProgram('sfeed'),
  async run(context) {
    await eachFeed(context, ['rss', 'atom'], (...feed) => examine(context, ...feed));
    return 'it reads no JSON Feed';
  },
};
