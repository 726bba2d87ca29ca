import type { Records } from '#store/port/store.ts';
import { printable } from './printable.ts';

/** In code points. */
const MAX_CHARACTERS = 80;

/** One line of a list: the id of a record and the beginning of its text, which a terminal cannot execute. */
export function describeRecord(record: Records[keyof Records], facts = ''): string {
  return `${record.id}  ${facts}${shorten(recordText(record))}`;
}

function recordText(record: Records[keyof Records]): string {
  if ('message' in record) return record.message;
  return 'note' in record ? record.note : `${record.title}: ${record.summary}`;
}

function shorten(text: string): string {
  const characters = Array.from(text.slice(0, 4 * MAX_CHARACTERS));
  return printable(characters.slice(0, MAX_CHARACTERS).join('').replaceAll(/\s+/g, ' '));
}
