import { html, type Html } from '#http/html/html.ts';
import { NOTICE } from '#workspace/protocol-content.ts';

const LEGEND = `${NOTICE} Names are what somebody typed.`;

/** The notice above texts of strangers, for people and for models that read the page. */
export const noticeHtml = (): Html => html`<p class="small quiet">${LEGEND}</p>`;

export const NOTICE_MARKDOWN = `> ${LEGEND}`;

const BACKTICKS = /`+/g;
const MIN_BACKTICKS = 3;

/** Puts the text of a stranger into a fence of Markdown that none of its lines can close. */
export function toFence(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(BACKTICKS), ([run]) => run.length));
  const fence = '`'.repeat(Math.max(MIN_BACKTICKS, longest + 1));
  return `${fence}text\n${text}\n${fence}`;
}

/** Puts a text into a fence together with the name of its author, which is a stranger's text too. */
export function toSignedFence(name: string | null, text: string): string {
  return toFence(`from: ${name ?? '(no name)'}\n\n${text}`);
}
