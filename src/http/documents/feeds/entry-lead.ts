import { formatTime, plural } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { withNumbers } from '#http/html/numbers.ts';
import { besideFinding, toFindingView } from '#http/pages/parts/findings.ts';
import { standingWords } from '#http/pages/parts/standings.ts';
import { postUrl, type Service } from '#workspace/service/service.ts';
import type { ConfirmedEntry } from '#workspace/reading/confirmed-feed.ts';
import type { ListedPost } from '#workspace/reading/views.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';

/** A line of the first paragraph. */
interface Row {
  /** Of the writer of a REVIEW, null without one. */
  readonly name?: string | null;
  readonly label?: string;
  readonly text: string;
  /** What the text leads to. */
  readonly id?: string;
}

/**
 * Tells, in the first paragraph of an entry, who has confirmed a RESULT, what they checked and what they left
 * open, or of a message which RESULT it took off the lists.
 */
export function leadOf(
  service: Service,
  post: Pick<ListedPost, 'rootId' | 'threadTitle'>,
  entry: ConfirmedEntry,
): { readonly html: Html; readonly text: string } {
  const rows = rowsOf(post, entry);
  const lines = rows.map(({ name, label, text, id }) => {
    const from = name === undefined ? '' : html`<bdi>${name ?? NO_NAME}</bdi> `;
    const head = label === undefined ? '' : html`<b>${from}${label}:</b> `;
    return html`${head}${id === undefined ? text : html`<a href="${postUrl(service, id)}">${text}</a>`}`;
  });
  const texts = rows.map(({ name, label, text }) => {
    const from = name === undefined ? '' : `${name ?? NO_NAME} `;
    return label === undefined ? text : `${from}${label}: ${text}`;
  });
  return { html: html`<p>${joinHtml(lines, '<br>\n')}</p>\n`, text: texts.join('\n') };
}

function rowsOf(
  { rootId, threadTitle }: Pick<ListedPost, 'rootId' | 'threadTitle'>,
  { finding, isListed, more }: ConfirmedEntry,
): Row[] {
  const { id, title, createdAt, since } = finding;
  const times = `Written ${formatTime(createdAt)}, confirmed ${formatTime(since)}.`;
  const now = [standingWords(finding), ...besideFinding(finding)].join(', ');
  const others = `The same is so of ${plural(more, 'other result')} of the thread on this day.`;
  return [
    ...(isListed ? [] : [{ label: 'No longer confirmed', text: withNumbers(title), id }]),
    ...(isListed ? toFindingView(finding).lines : []).map(({ label, text, review }) =>
      review === undefined ? { label, text } : { name: review.name, label, text, id: review.id },
    ),
    ...(threadTitle === undefined ? [] : [{ label: 'In', text: withNumbers(threadTitle), id: rootId }]),
    { text: isListed ? times : `How it stands now: ${now}.` },
    ...(more === 0 ? [] : [{ text: others }]),
  ];
}
