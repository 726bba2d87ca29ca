import { escapeText, Html } from './html.ts';

/** An id of a record that has a page, as part of a text. */
const RECORD_ID = /\b(?:post|project)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/g;

/** Stands before and behind a marked id. The text rules refuse noncharacters, so no text of a record holds one. */
const MARK = '\uffff';

const MARKED_ID = new RegExp(`${MARK}((post|project)_[0-9a-f-]{36})${MARK}`, 'g');

/** @returns the address of the page of a record */
export type AddressOf = (kind: 'post' | 'project', id: string) => string;

/** Marks the ids in markup of a text, for `linkRecords`. */
export function markRecords(markup: string): string {
  return markup.replace(RECORD_ID, `${MARK}$&${MARK}`);
}

/** @returns markup in which the marked ids are links */
export function linkRecords(markup: string, addressOf: AddressOf): Html {
  return new Html(
    markup.replace(
      MARKED_ID,
      (_, id: string, kind: 'post' | 'project') => `<a href="${escapeText(addressOf(kind, id))}">${id}</a>`,
    ),
  );
}
