import Parser from 'rss-parser';
import type { PageCheck } from '../check.ts';
import { eachFeed } from '../feeds.ts';
import { asHtmlTitle, checkKnownItems } from '../readers/known-items.ts';

interface Item {
  /** Of Atom. */
  readonly author?: string;
  readonly 'content:encoded'?: string;
}

export const rssParser: PageCheck = {
  name: 'rss-parser',
  description: 'rss-parser reads the RSS and Atom feeds, with titles, authors and code as they were sent',
  async run(context) {
    const parser = new Parser<object, Item>();
    await eachFeed(context, async (feed, text, place) => {
      const { items } = await parser.parseString(text);
      const shown = items.map((item) => ({
        title: item.title ?? '',
        author: item.creator ?? item.author ?? null,
        content: item['content:encoded'] ?? item.content ?? '',
      }));
      if (feed.hasKnownThread)
        checkKnownItems(feed.format === 'rss' ? shown.map(asHtmlTitle) : shown, place, context.faults);
    });
    return 'it reads no JSON Feed';
  },
};
