import { readFileSync, writeFileSync } from 'node:fs';
import { lineOf } from '../table.ts';
import type { RevisionReport } from './evaluate.ts';
import type { Outcome } from './outcome.ts';
import { REVISIONS } from './scenarios.ts';

const DOCUMENT = new URL('../../../docs/clients.md', import.meta.url);

/** The report stands between these two lines of the document. */
const BEGIN = '<!-- npm run interop -- conformance writes from here -->';
const END = '<!-- to here -->';

const OUTCOMES: readonly (readonly [title: string, outcome: Outcome])[] = [
  ['passed', 'passed'],
  ['passed, little checked', 'little checked'],
  ['not passed', 'failed'],
];

const namesOf = (outcomes: ReadonlyMap<string, Outcome>, outcome: Outcome): string[] =>
  [...outcomes].flatMap(([name, one]) => (one === outcome ? [name] : []));

function outcomeTable(
  reports: readonly RevisionReport[],
  outcomesOf: (report: RevisionReport) => ReadonlyMap<string, Outcome>,
): string {
  const rows = reports.flatMap((report) =>
    OUTCOMES.map(([title, outcome]) => [title, namesOf(outcomesOf(report), outcome)] as const)
      .filter(([, names]) => names.length > 0)
      .map(([title, names]) => lineOf([report.version, title, String(names.length), names.join(', ')])),
  );
  return ['| revision | outcome | scenarios | which |', '|---|---|---|---|', ...rows].join('\n');
}

function reasonTable(): string {
  const rows = REVISIONS.flatMap(({ version, failedByFixture }) =>
    [...failedByFixture].map(([reason, names]) => lineOf([version, names.join(', '), reason])),
  );
  return ['| revision | not passed | why |', '|---|---|---|', ...rows].join('\n');
}

/** @param suite name and version of the package @returns Markdown */
export function toReport(suite: string, reports: readonly RevisionReport[]): string {
  const totals = reports.map(({ version, fixture }) => {
    const [passed, littleChecked] = [namesOf(fixture, 'passed'), namesOf(fixture, 'little checked')];
    const remark = littleChecked.length > 0 ? ` (${littleChecked.length} of them little checked)` : '';
    return `${passed.length + littleChecked.length} of ${fixture.size} scenarios of ${version}${remark}`;
  });
  return [
    `\`${suite}\`, \`server --suite all\`: ${totals.join(' and ')} passed.`,
    'Against the fixture:',
    outcomeTable(reports, ({ fixture }) => fixture),
    reasonTable(),
    'Against the service, those scenarios that need nothing of the suite:',
    outcomeTable(reports, ({ service }) => service),
  ].join('\n\n');
}

/** Puts the report into docs/clients.md. */
export function writeReport(report: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`docs/clients.md has no lines ${BEGIN} and ${END}`);
  writeFileSync(DOCUMENT, `${text.slice(0, before)}${BEGIN}\n\n${report}\n\n${text.slice(after)}`);
}
