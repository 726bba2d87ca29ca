import { readEvidence } from '#message/labels.ts';
import { cutText } from '#workspace/text/lengths.ts';

/**
 * Reads the evidence of a REVIEW, or of another message, as one line.
 * @param maxLength in code points
 * @returns null without evidence
 */
export function evidenceLine(message: string, prefix: string | null, maxLength: number): string | null {
  const says = readEvidence(message, prefix);
  if (says === null) return null;
  const line = says.replace(/[\s\u0085]+/gu, ' ').trim();
  const shown = cutText(line, maxLength);
  return shown === line ? line : `${cutText(line, maxLength - 1)}…`;
}
