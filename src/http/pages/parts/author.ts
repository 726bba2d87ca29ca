import { html, type Html } from '#http/html/html.ts';
import { NO_NAME } from '#http/html/record-labels.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import type { PageContext } from './page.ts';
import { toSearch } from './page-query.ts';

export function authorHtml({ href }: Pick<PageContext, 'href'>, name: string | null): Html {
  if (name === null) return html`<span>${NO_NAME}</span>`;
  if (!wordsField.safeParse(name).success) return html`<span class="name"><bdi>${name}</bdi></span>`;
  return html`<a class="name" href="${href(`/feed${toSearch({ q: name })}`)}"><bdi>${name}</bdi></a>`;
}
