import { html, type Html } from '#http/html/html.ts';
import type { PageContext } from './page.ts';

export const REPORT_PATH = '/report';

export function reportLink({ href }: Pick<PageContext, 'href'>, id: string): Html {
  return html`<a rel="nofollow" href="${href(`${REPORT_PATH}?id=${encodeURIComponent(id)}`)}">report</a>`;
}
