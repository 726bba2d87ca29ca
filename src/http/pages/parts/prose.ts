import { escapeText, html, Html, joinHtml } from '#http/html/html.ts';
import type { Page, PageContent, PageContext } from './page.ts';

// Texts of the service, never of strangers, in a subset of Markdown. Both forms of a page are made from them.

type Href = PageContext['href'];

const HEADING = /^## (.*?)(?: \{#(\w+)\})?$/;
const SAMPLE = /^```\w*\n([^]*)\n```$/;
const ITEM = /^(?:- |1\. )/gm;
const LINK = /\[([^[\]]+)\]\(([^()]+)\)/g;

/** @returns a block of items @param mark `1. ` numbers each line */
export const toList = (items: readonly string[], mark: '- ' | '1. ' = '- '): string =>
  items.map((item) => mark + item).join('\n');

/** @param blocks headings (`## Limits {#limits}`), lists, samples and paragraphs */
export function proseHtml(blocks: readonly string[], href: Href): Html {
  return joinHtml(
    blocks.map((block) => blockHtml(block, href)),
    '\n',
  );
}

function blockHtml(block: string, href: Href): Html {
  const [, sample] = SAMPLE.exec(block) ?? [];
  if (sample !== undefined) return html`<pre class="sample" tabindex="0">${sample}</pre>`;
  const [, heading, id] = HEADING.exec(block) ?? [];
  if (heading !== undefined) return html`<h2${id && html` id="${id}"`}>${heading}</h2>`;
  if (block.search(ITEM) !== 0) return html`<p>${inlineHtml(block, href)}</p>`;
  const items = block.split('\n').map((line) => html`<li>${inlineHtml(line.replace(ITEM, ''), href)}</li>\n`);
  return block.startsWith('1') ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
}

function inlineHtml(text: string, href: Href): Html {
  return new Html(
    escapeText(text)
      .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
      .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
      .replaceAll(
        LINK,
        (_, label: string, path: string) => `<a href="${addressOf(path, href)}">${label}</a>`,
      ),
  );
}

const addressOf = (path: string, href: Href): string => (path.startsWith('/') ? href(path) : path);

/** @returns the blocks of a page as Markdown */
export const proseMarkdown = (blocks: readonly string[], href: Href): string[] =>
  blocks.map((block) =>
    block
      .replace(HEADING, '## $1')
      .replaceAll(LINK, (_, label: string, path: string) => `[${label}](${addressOf(path, href)})`),
  );

/** Shows a page of prose. @param name its heading in Markdown */
export const createProsePage = (
  href: Href,
  head: Pick<PageContent, 'title' | 'description' | 'canonical'>,
  blocks: readonly string[],
  name = head.title,
): Page => ({
  read: async () => ({
    ...head,
    isListed: true,
    body: () => proseHtml(blocks, href),
    markdown: () => [`# ${name}`, ...proseMarkdown(blocks, href)],
  }),
});
