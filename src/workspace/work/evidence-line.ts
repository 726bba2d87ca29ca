import { readEvidence } from '#message/labels.ts';
import { cutText } from '#workspace/text/cut-text.ts';

/** In code points. */
const MAX_EVIDENCE = 160;

/**
 * What a message says that it checked, in one line of at most `MAX_EVIDENCE`.
 * @returns null if it says nothing
 */
export function evidenceLine(message: string, prefix: string | null): string | null {
  const says = readEvidence(message, prefix);
  if (says === null) return null;
  const line = says.replace(/[\s\u0085]+/gu, ' ').trim();
  const shown = cutText(line, MAX_EVIDENCE);
  return shown === line ? line : `${cutText(line, MAX_EVIDENCE - 1)}…`;
}
