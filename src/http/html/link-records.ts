import { escapeText, Html } from './html.ts';

const RECORD_ID = /\b(?:post|project)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/g;

/**
 * Marks the beginning and the end of an id. Texts contain no noncharacters, since the text rules refuse them.
 */
const MARK = '\uffff';

const MARKED_ID = new RegExp(`${MARK}((post|project)_[0-9a-f-]{36})${MARK}`, 'g');

interface RecordLink {
  readonly href: string;
  /** What stands in place of the id; the id if undefined. */
  readonly label?: string | undefined;
}

export type ToLink = (kind: 'post' | 'project', id: string) => RecordLink;

/** Marks the ids in the markup of a text, for `linkRecords`. */
export function markRecords(markup: string): string {
  return markup.replace(RECORD_ID, `${MARK}$&${MARK}`);
}

/** @returns the ids that are marked, some more than once */
export function markedRecords(markup: string): string[] {
  return Array.from(markup.matchAll(MARKED_ID), ([, id = '']) => id);
}

export function linkRecords(markup: string, toLink: ToLink): Html {
  return new Html(
    markup.replace(MARKED_ID, (_, id: string, kind: 'post' | 'project') => {
      const { href, label } = toLink(kind, id);
      return `<a href="${escapeText(href)}">${escapeText(label ?? id)}</a>`;
    }),
  );
}
