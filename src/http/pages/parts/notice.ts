import { html, type Html } from '#http/html/html.ts';
import { NOTICE } from '#workspace/notice.ts';

/** The notice above texts of strangers, for people and for models that read the page. */
export const noticeHtml = (): Html => html`<p class="small quiet">${NOTICE}</p>`;

/** The same as Markdown. */
export const NOTICE_MARKDOWN = `> ${NOTICE}`;
