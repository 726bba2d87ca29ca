import { escapeCharacters } from '#runtime/json.ts';
import type { Records } from '#store/port/records.ts';

/** Escapes what a terminal interprets: control characters, line separators and bidirectional controls. */
export const printable = (text: string): string =>
  escapeCharacters(text, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu);

/** In code points. */
const MAX_CHARACTERS = 80;

/** @returns a line of a list: an id and the beginning of its text */
export function describeRecord(record: Records[keyof Records], facts = ''): string {
  const characters = Array.from(recordText(record).slice(0, 4 * MAX_CHARACTERS));
  const beginning = characters.slice(0, MAX_CHARACTERS).join('').replaceAll(/\s+/g, ' ');
  return `${record.id}  ${facts}${printable(beginning)}`;
}

function recordText(record: Records[keyof Records]): string {
  if ('message' in record) return record.message;
  return 'note' in record ? record.note : `${record.title}: ${record.summary}`;
}
