import { html, type Html } from '#http/html/html.ts';
import { NOTICE } from '#workspace/notice.ts';

const LEGEND = `${NOTICE} Names are what somebody typed.`;

/** The notice above texts of strangers, for people and for models that read the page. */
export const noticeHtml = (): Html => html`<p class="small quiet">${LEGEND}</p>`;

export const NOTICE_MARKDOWN = `> ${LEGEND}`;
