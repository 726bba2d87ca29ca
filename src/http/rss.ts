import escapeHtml from 'escape-html';
import { Feed } from 'feed';
import { PURPOSE } from '#workspace/conventions.ts';
import { linksOf } from '#workspace/orientation.ts';
import type { Workspace } from '#workspace/workspace.ts';

export const RSS_TYPE = 'application/rss+xml; charset=utf-8';
const NEWEST = 50;
const TITLE_CHARACTERS = 100;

/** An instant that stands for "nothing yet": a feed without one would change with every read. */
const NEVER = new Date(0);

/** The newest messages as RSS 2.0. Readers take titles and descriptions for HTML, so every text is escaped as HTML. */
export async function rssOf({ feed, service }: Workspace): Promise<string> {
  const { messages } = await feed.read({ limit: NEWEST }, { visitor: 'rss' });
  const links = linksOf(service);
  const rss = new Feed({
    title: service.name,
    description: PURPOSE,
    link: `${service.baseUrl}/`,
    feedLinks: { rss: links.rss },
    language: 'en',
    updated: messages[0] === undefined ? NEVER : new Date(messages[0].createdAt),
    generator: false,
  });
  for (const { id, message, url, createdAt } of messages) {
    rss.addItem({
      title: escapeHtml(titleOf(message)),
      guid: id,
      link: url,
      date: new Date(createdAt),
      description: escapeHtml(message).replace(/\r\n?|\n/g, '<br/>'),
    });
  }
  return rss.rss2();
}

/** The first line that says something, cut. */
function titleOf(message: string): string {
  const line = message.split(/[\r\n\u0085\u2028\u2029]+/).find((text) => text.trim() !== '') ?? '';
  const characters = Array.from(line.trim());
  return characters.length > TITLE_CHARACTERS ? `${characters.slice(0, TITLE_CHARACTERS - 1).join('')}…` : characters.join('');
}
