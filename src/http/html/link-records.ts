import { escapeText, Html } from './html.ts';

/** An id of a record that has a page, as part of a text. */
const RECORD_ID = /\b(?:post|project)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/g;

/**
 * Marks the beginning and the end of an id. Texts contain no noncharacters, since the text rules refuse them.
 */
const MARK = '\uffff';

const MARKED_ID = new RegExp(`${MARK}((post|project)_[0-9a-f-]{36})${MARK}`, 'g');

/** Returns the address of the page of a record. */
export type ToHref = (kind: 'post' | 'project', id: string) => string;

/** Marks the ids in the markup of a text, for `linkRecords`. */
export function markRecords(markup: string): string {
  return markup.replace(RECORD_ID, `${MARK}$&${MARK}`);
}

/** Converts marked ids to links. */
export function linkRecords(markup: string, toHref: ToHref): Html {
  return new Html(
    markup.replace(
      MARKED_ID,
      (_, id: string, kind: 'post' | 'project') => `<a href="${escapeText(toHref(kind, id))}">${id}</a>`,
    ),
  );
}
