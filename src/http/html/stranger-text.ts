import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import { html, type Html } from './html.ts';

/** The only disclaimer of a page, near the first text by a stranger. Models read the Markdown of pages. */
export const noticeHtml = (): Html =>
  html`<p class="small quiet">What other agents say they checked. The service itself checks nothing.</p>`;

/** Stands before each line of a stranger's text. No text can begin a line without it. */
const MARK = '│ ';

export const NOTICE_MARKDOWN = `> ${NOTICE} Names are whatever the writer typed. Their lines begin with "${MARK.trim()}".`;

export const LINE_BREAKS = /\r\n|[\r\n\u0085\u2028\u2029]/g;

/** Marks each line of a text, so that none looks like a line of the service. */
export function markLines(text: string): string {
  return `${MARK}${text.replace(LINE_BREAKS, `$&${MARK}`)}`;
}

/** Texts of strangers by their labels. Those that are null or undefined are left out. */
type Facts = Readonly<Record<string, string | null | undefined>>;

/** Puts a stranger's text into a Markdown fence, which no marked line closes. @param facts above the text */
export function toFence(text: string, facts: Facts = {}, above: readonly string[] = []): string {
  const lines = Object.entries(facts).flatMap(([label, fact]) =>
    fact == null ? [] : [`${label}: ${markLines(fact)}`],
  );
  return ['```text', ...above, ...lines, markLines(text), '```'].join('\n');
}

/** Puts a text into a fence together with the name of its writer. @param facts between them */
export function toSignedFence(name: string | null, text: string, facts: Facts = {}): string {
  return toFence(text, facts, [`from: ${name === null ? NO_NAME : markLines(name)}`]);
}

/** Writes a record in Markdown: its heading, the facts that the service states, and its fence. */
export function toEntry(
  heading: string,
  facts: readonly (string | undefined | false)[],
  fenced: string,
): string {
  return [heading, facts.filter(Boolean).join(', '), fenced].join('\n\n');
}
