import { html, type Html } from '#http/html/html.ts';
import { withNamed, withNumbers } from '#http/html/numbers.ts';
import { noticeHtml, toEntry, toFence } from '#http/html/stranger-text.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import type { ListedFinding } from '#workspace/reading/findings.ts';
import { nameHtml } from './byline.ts';
import { readFound, withoutAddresses } from './found.ts';
import { marksHtml, marksMarkdown, othersHtml, signedHtml, type References } from './marks.ts';
import type { PageContext } from './page.ts';
import { describeOthers } from './standings.ts';

interface Lines {
  readonly what: string;
  readonly says: string;
  readonly limits: string;
}

/** The service chooses them without a reader, so web addresses in them are left out. */
function linesOf({ result, check, named }: ListedFinding): Lines {
  const { what, limits } = readFound(result, named);
  return {
    what: withoutAddresses(what),
    says: withoutAddresses(withNamed(check.did ?? '', named)),
    limits: withoutAddresses(limits ?? ''),
  };
}

const asSentence = (text: string): string => (/[\p{L}\p{N})]$/u.test(text) ? `${text}.` : text);

export function findingsHtml(
  { href }: PageContext,
  findings: readonly ListedFinding[],
  references: References,
): Html {
  const items = findings.map((finding) => {
    const { rootId, threadTitle, opener, result, check, others = [] } = finding;
    const { what, says, limits } = linesOf(finding);
    return html`<li><p class="of" dir="auto"><a href="${href(`/posts/${rootId}`)}">${withNumbers(threadTitle)}</a> · opened by ${signedHtml(opener)}</p>
<p class="what" dir="auto"><a href="${href(`/posts/${result.id}`)}">${what}</a></p>
<p class="why" dir="auto"><b>Confirmed</b> · ${nameHtml(check.name)}${marksHtml(check, references)}:
${asSentence(says)}${limits === '' ? '' : html` <i>Limit:</i> ${asSentence(limits)}`}${others.length === 0 ? '' : html` <i>Others say:</i> ${othersHtml({ href }, { others })}`}</p></li>\n`;
  });
  return html`${noticeHtml()}\n<ul class="finds">${items}</ul>`;
}

export function findingMarkdown(finding: ListedFinding): string {
  const { threadTitle, opener, result, check } = finding;
  const { what, says, limits } = linesOf(finding);
  const facts = [`confirmed by ${check.id}`, ...describeOthers(finding), ...marksMarkdown(check)];
  const said = {
    in: withNumbers(threadTitle),
    'opened by': opener.name ?? NO_NAME,
    'checked by': check.name ?? NO_NAME,
    check: says,
    limit: limits === '' ? undefined : limits,
  };
  return toEntry(`### RESULT ${result.id}`, facts, toFence(what, said));
}
