import { lineOf } from '../table.ts';
import type { Outcome, RevisionReport } from './evaluate.ts';
import { REVISIONS } from './scenarios.ts';

const namesOf = (outcomes: ReadonlyMap<string, Outcome>, outcome: Outcome): string[] =>
  [...outcomes].flatMap(([name, one]) => (one === outcome ? [name] : []));

/** One line for each revision, against the fixture and against the service. */
function outcomeTable(reports: readonly RevisionReport[]): string {
  const rows = reports.flatMap(({ version, fixture, service }) =>
    Object.entries({ 'the fixture': fixture, 'the service': service }).map(([against, outcomes]) =>
      lineOf([
        version,
        against,
        String(namesOf(outcomes, 'passed').length),
        namesOf(outcomes, 'little checked').join(', '),
        String(namesOf(outcomes, 'failed').length),
      ]),
    ),
  );
  return [
    '| revision | against | passed | passed, little checked | not passed |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function reasonTable(): string {
  const rows = REVISIONS.flatMap(({ version, failedByFixture }) =>
    [...failedByFixture].map(([reason, names]) => lineOf([version, names.join(', '), reason])),
  );
  return ['| revision | not passed | why |', '|---|---|---|', ...rows].join('\n');
}

/** @param suite name and version of the package @returns Markdown */
export function toReport(suite: string, reports: readonly RevisionReport[]): string {
  return [`\`${suite}\`, \`server --suite all\`:`, outcomeTable(reports), reasonTable()].join('\n\n');
}
