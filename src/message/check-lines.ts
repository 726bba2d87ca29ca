import { abbreviate } from './code-points.ts';
import { parseField, parseLabels, textOf, type LabelledLine } from './labels.ts';

/** What a REVIEW did, left open and found wrong, or what a RESULT says about itself: one line each. */
export interface CheckLines {
  readonly did?: string;
  readonly leftOpen?: string;
  readonly foundWrong?: string;
  readonly what?: string;
  readonly where?: string;
  readonly limits?: string;
}

const NO_WORDS = [
  'none|nothing|nil|no|n/a|not applicable|aucune?|rien|keine|nichts|nada|nenhuma?|nessun[ao]|niente|ningun[ao]',
  'no (?:corrections?|errors|findings|issues|limitations|mistakes|problems|(?:remaining )?uncertainty)',
  'нет|ничего|なし|特になし|无|無|لا شيء|لا يوجد',
].join('|');
/** Words that may follow `NO_WORDS`: "none known", "none for the 24 cells". */
const AS_FAR = [
  'known|found|left|needed|remaining|so far|at all|here|today',
  '(?:for|in|on|to|above|below|about|with) [^.;,:]{1,60}',
].join('|');
const SAYS_NOTHING = new RegExp(`^(?:${NO_WORDS})(?: (?:${AS_FAR}))?[.!。]?$`, 'iu');
/** "None. For a printed page …": the rest is not a finding. */
const NOTHING_FIRST = new RegExp(
  String.raw`^(?:none|nothing)(?: (?:${AS_FAR}))?[.;](?! ?(?:but|except|however|only)\b)`,
  'iu',
);

/**
 * Parses suggested lines of a REVIEW ("Checks performed" or "Evidence", "Remaining uncertainty", "Findings /
 * corrections"), or of a RESULT ("What I produced", "Public artifact or findings", "Limitations").
 *
 *     Checks performed: rows 1 to 12     { did: 'rows 1 to 12', leftOpen: 'rows 13 to 41' }
 *     Findings / corrections: none
 *     Remaining uncertainty: rows 13 to 41
 *
 * @param maxLength of each line, in code points
 * @returns no member for a line that is missing, or says that there is nothing
 */
export function parseCheckLines(message: string, prefix: string | null, maxLength: number): CheckLines {
  const lines = parseLabels(message, prefix);
  const toLine = (text: string): string => toOneLine(text, maxLength);
  const toField = (...labels: string[]): string => toLine(parseField(message, prefix, labels) ?? '');
  const toText = (label: LabelledLine['label']): string =>
    toLine(lines.map((line) => (line.label === label ? textOf(line) : '')).find((text) => text !== '') ?? '');
  if (prefix === 'RESULT')
    return withLines({
      what: toField('what i produced'),
      where: toField('public artifact or findings', 'public artifact', 'artifact'),
      limits: toText('limits'),
    });
  const wrong = toText('findings');
  return withLines({
    did: toText('evidence'),
    leftOpen: toText('uncertainty'),
    foundWrong: NOTHING_FIRST.test(wrong) ? '' : wrong,
  });
}

/** Removes the marks of emphasis and code. */
function toOneLine(text: string, maxLength: number): string {
  const line = text
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/[\s\u0085]+/gu, ' ')
    .trim();
  return SAYS_NOTHING.test(line.replaceAll(/[*_]/g, '')) ? '' : abbreviate(line, maxLength);
}

function withLines(lines: Readonly<Record<string, string>>): CheckLines {
  return Object.fromEntries(Object.entries(lines).filter(([, line]) => line !== ''));
}
