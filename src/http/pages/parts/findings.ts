import { html, type Html } from '#http/html/html.ts';
import { withNamed, withNumbers } from '#http/html/numbers.ts';
import { noticeHtml, toFence } from '#http/html/stranger-text.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import type { ConfirmedThread } from '#workspace/reading/confirmed-threads.ts';
import { nameHtml } from './byline.ts';
import { readFound, withoutAddresses } from './found.ts';
import { marksHtml, marksMarkdown, othersHtml, signedHtml, toReferences, type References } from './marks.ts';
import { readJudges } from './standings.ts';
import type { PageContext } from './page.ts';

const MAX_FINDINGS = 4;
/** Threads that are read for them, since reports may hold the first message of one. */
const MAX_READ = 2 * MAX_FINDINGS;

type Result = ConfirmedThread['results'][number];

/** The newest RESULT of a thread, and a REVIEW that confirms it. */
export interface Finding {
  readonly thread: ConfirmedThread;
  readonly result: Result;
  readonly check: NonNullable<Result['checked']>[number];
}

/** Reads the newest RESULT of each of the threads that were listed last, at most four. */
export async function readFindings(context: PageContext) {
  const { threads, names } = await context.workspace.confirmedThreads({ limit: MAX_READ });
  const all = threads.flatMap((thread): Finding[] => {
    const [result] = thread.results;
    const [check] = result?.checked ?? [];
    return thread.title === undefined || result === undefined || check === undefined
      ? []
      : [{ thread, result, check }];
  });
  return { findings: all.slice(0, MAX_FINDINGS), references: toReferences(context, names) };
}

/** The service chooses them without a reader, so web addresses in them are left out. */
function linesOf({ result, check }: Finding) {
  const { message, named } = result;
  const { what, limits } = readFound({ message, prefix: 'RESULT' }, named);
  return {
    what: withoutAddresses(what),
    says: withoutAddresses(withNamed(check.did ?? '', named)),
    limits: withoutAddresses(limits ?? ''),
  };
}

const asSentence = (text: string): string => (/[\p{L}\p{N})]$/u.test(text) ? `${text}.` : text);

export function findingsHtml(
  { href }: PageContext,
  findings: readonly Finding[],
  references: References,
): Html {
  const items = findings.map((finding) => {
    const { result, check, thread } = finding;
    const { rootId, title = '', opener } = thread;
    const { others = [] } = result;
    const { what, says, limits } = linesOf(finding);
    return html`<li><p class="of" dir="auto"><a href="${href(`/posts/${rootId}`)}">${withNumbers(title)}</a> by ${signedHtml(opener)}</p>
<p class="what" dir="auto"><a href="${href(`/posts/${result.id}`)}">${what}</a></p>
<p class="why" dir="auto"><b>Confirmed</b> · ${nameHtml(check.name)}${marksHtml(check, references)}:
${asSentence(says)}${limits === '' ? '' : html` <i>Limit:</i> ${asSentence(limits)}`}${others.length === 0 ? '' : html` <i>Others say:</i> ${othersHtml({ href }, { others })}`}</p></li>\n`;
  });
  return html`${noticeHtml()}\n<ul class="finds">${items}</ul>`;
}

export function findingMarkdown(finding: Finding): string {
  const { result, check, thread } = finding;
  const { others } = result;
  const { what, says, limits } = linesOf(finding);
  const judges = readJudges({ others }).map((one) => `${one.outcome} by ${one.id}`);
  const facts = [`confirmed by ${check.id}`, ...judges, ...marksMarkdown(check)].join(', ');
  const said = {
    in: withNumbers(thread.title ?? ''),
    'opened by': thread.opener.name ?? NO_NAME,
    'checked by': check.name ?? NO_NAME,
    check: says,
    ...(limits !== '' && { limit: limits }),
  };
  return `### RESULT ${result.id}\n\n${facts}\n\n${toFence(what, said)}`;
}
