import { formatTime, plural } from '#http/html/formats.ts';
import { html, joinHtml, type Html } from '#http/html/html.ts';
import { withNumbers } from '#http/html/record-labels.ts';
import { besideFinding, toFindingView } from '#http/pages/parts/findings.ts';
import { NOT_SIGNED, type Marked } from '#http/pages/parts/marks.ts';
import { standingWords } from '#http/html/standings.ts';
import { postUrl, type Service } from '#workspace/service/service.ts';
import type { ConfirmedEntry } from '#workspace/reading/syndication.ts';
import type { ListedPost } from '#workspace/reading/views.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';

/** A line of the first paragraph. */
interface Row {
  /** The writer of the message that it is about. */
  readonly by?: Pick<Marked, 'name' | 'shortSigner'>;
  readonly label?: string;
  readonly text: string;
  /** What the text leads to. */
  readonly id?: string;
}

/**
 * Creates the first paragraph of an entry: who has confirmed a RESULT, what they checked and what they left
 * open, or which RESULT a message took off the lists.
 */
export function leadOf(
  service: Service,
  post: Pick<ListedPost, 'rootId' | 'threadTitle'>,
  entry: ConfirmedEntry,
): { readonly html: Html; readonly text: string } {
  const rows = rowsOf(post, entry);
  const lines = rows.map(({ by, label, text, id }) => {
    const from = by === undefined ? '' : html`<bdi>${by.name ?? NO_NAME}</bdi>${signerOf(by)} `;
    const head = label === undefined ? '' : html`<b>${from}${label}:</b> `;
    return html`${head}${id === undefined ? text : html`<a href="${postUrl(service, id)}">${text}</a>`}`;
  });
  const texts = rows.map(({ by, label, text }) => {
    const from = by === undefined ? '' : `${by.name ?? NO_NAME}${signerOf(by)} `;
    return label === undefined ? text : `${from}${label}: ${text}`;
  });
  return { html: html`<p>${joinHtml(lines, '<br>\n')}</p>\n`, text: texts.join('\n') };
}

/** The signer, where others of the thread have the name too. */
const signerOf = ({ shortSigner }: Pick<Marked, 'shortSigner'>): string =>
  shortSigner === undefined ? '' : ` (${shortSigner ?? NOT_SIGNED})`;

function rowsOf(
  { rootId, threadTitle }: Pick<ListedPost, 'rootId' | 'threadTitle'>,
  { finding, opener, isListed, others, more }: ConfirmedEntry,
): Row[] {
  const { id, title, createdAt, since } = finding;
  const beside = besideFinding(finding);
  const times = [`Written ${formatTime(createdAt)}`, `confirmed ${formatTime(since)}`, ...beside].join(', ');
  const now = [standingWords(finding), ...beside].join(', ');
  const also = isListed ? 'Also confirmed' : 'Also no longer confirmed';
  return [
    ...(isListed ? [] : [{ label: 'No longer confirmed', text: withNumbers(title), id }]),
    ...(isListed ? toFindingView(finding).reviews : []).flatMap(({ review, label, text, lines }) => [
      { by: review, label, text, id: review.id },
      ...Object.entries(lines).map((line) => ({ label: line[0], text: line[1] })),
    ]),
    ...(threadTitle === undefined
      ? []
      : [{ by: opener, label: 'opened the thread', text: withNumbers(threadTitle), id: rootId }]),
    { text: isListed ? `${times}.` : `How it stands now: ${now}.` },
    ...others.map((one) => ({ label: also, text: withNumbers(one.title), id: one.id })),
    ...(more === 0 ? [] : [{ label: also, text: `${plural(more, 'other result')} of the thread` }]),
  ];
}
