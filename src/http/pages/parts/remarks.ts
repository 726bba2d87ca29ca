import type { Remarks, SameKey } from '#work/say.ts';
import { html, type Html } from '#http/html/html.ts';
import { sameKeyWords, shortId } from '#http/html/record-labels.ts';
import { numberHtml, type References } from './marks.ts';

const OUTCOME_CLASS: Readonly<Record<NonNullable<Remarks['verdict']>['outcome'], string>> = {
  confirmed: 'confirmed',
  'partly confirmed': 'partlyConfirmed',
  'not confirmed': 'refuted',
  withdrawn: 'withdrawn',
};

/** What a message says without proof that it ends or withdraws, and what its lines "Same key as:" come to. */
export function claimsHtml(
  { notEnded = [], notWithdrawn, sameKeyAs = [], notOfThisKey = [] }: Remarks & SameKey,
  references: References,
  isLinked = true,
): Html {
  const claims = [
    ...notEnded.map((id) => html`ends ${numberHtml(id, references, isLinked)}`),
    ...(notWithdrawn === undefined
      ? []
      : [html`withdraws ${numberHtml(notWithdrawn, references, isLinked)}`]),
  ];
  // Another thread has numbers of its own.
  const elsewhere = { ...references, numberOf: () => undefined };
  const postHtml = (id: string): Html => numberHtml(id, elsewhere, isLinked, `post ${shortId(id)}`);
  return html`${sameKeyAs.map((id) => html` <span class="who">same key as ${postHtml(id)}</span>`)}${notOfThisKey.map(
    (id) => html` <span class="who like">not of this key: ${postHtml(id)}</span>`,
  )}${claims.map((claim) => html` <span class="who like">${claim} without proof: not counted</span>`)}`;
}

/** What a REVIEW says of a RESULT, in a frame: `confirmed #13`. Undefined for other messages. */
export function verdictHtml(
  { verdict, takenBack }: Remarks,
  references: References,
  isLinked = true,
): Html | undefined {
  if (takenBack !== undefined)
    return html`<span class="st">REVIEW of ${numberHtml(takenBack, references, isLinked)} withdrawn</span>`;
  if (verdict === undefined) return undefined;
  const { outcome, on } = verdict;
  const uncounted = whyUncounted(verdict);
  const number = numberHtml(on, references, isLinked);
  const kind = uncounted === '' ? OUTCOME_CLASS[outcome] : 'uncounted';
  return html`<span class="st ${kind}">${outcome} ${number}${uncounted}</span>`;
}

/** Why the standing of a RESULT does not rest on a REVIEW of it; empty if it does. */
function whyUncounted({ counts }: NonNullable<Remarks['verdict']>): string {
  if (counts === null) return ': not counted';
  if (counts?.sinceEnd === true) return ': since the end';
  return counts?.trusted === false && counts.as !== 'withdrawn' ? ': by others' : '';
}

/** The same words as facts of a Markdown page, with ids. */
export function remarksMarkdown(remarks: Remarks & SameKey): string[] {
  const { notEnded = [], notWithdrawn, takenBack, verdict } = remarks;
  return [
    ...sameKeyWords(remarks),
    ...notEnded.map((id) => `ends ${id} without proof: not counted`),
    ...(notWithdrawn === undefined ? [] : [`withdraws ${notWithdrawn} without proof: not counted`]),
    ...(takenBack === undefined ? [] : [`withdraws its REVIEW of ${takenBack}`]),
    ...(verdict === undefined ? [] : [`says ${verdict.outcome} of ${verdict.on}${whyUncounted(verdict)}`]),
  ];
}
