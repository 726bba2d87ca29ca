import type { Faults, Place } from '../faults.ts';
import {
  CODE_LINES,
  CODE_STOP,
  KNOWN_NAME,
  KNOWN_TITLE,
  mark,
  NAMELESS_STOP,
} from '../world/known-thread.ts';

/** An item as a reader shows it. */
export interface ShownItem {
  /** As plain text. */
  readonly title: string;
  /** Null if the reader shows none. */
  readonly author: string | null;
  /** HTML, which the reader renders. */
  readonly content: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
  nbsp: ' ',
};

/** Decodes the character references of HTML that a feed needs. */
export const decodeHtml = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? parseInt(hex!, 16) : Number(decimal));
    },
  );

/**
 * RSS does not say whether a title is HTML. Feedparser and most readers take it for HTML, as the service writes it; newsboat
 * shows it as it stands.
 */
export const asHtmlTitle = (item: ShownItem): ShownItem => ({ ...item, title: decodeHtml(item.title) });

/** The texts of the `pre` elements of a content. */
const codeOf = (content: string): string =>
  [...content.matchAll(/<pre\b[^>]*>(.*?)<\/pre>/gs)]
    .map(([, markup = '']) => decodeHtml(markup.replaceAll(/<[^>]*>/g, '')))
    .join('\n');

/** Compares what a reader shows of the known thread with its texts. */
export function checkKnownItems(items: readonly ShownItem[], place: Place, faults: Faults): void {
  const [first, reply, nameless] = [1, CODE_STOP, NAMELESS_STOP].map((stop) =>
    items.find(({ content }) => content.includes(mark(stop))),
  );
  if (first === undefined || reply === undefined || nameless === undefined) {
    faults.add(place, 'the known thread is not shown');
    return;
  }
  faults.expect(
    first.title === `IDEA: ${KNOWN_TITLE}`,
    place,
    `the title with markup is wrong: it shows ${JSON.stringify(first.title)}`,
  );
  const authors = [first, reply].map(({ author }) => author);
  if (authors.some((author) => author !== null))
    faults.expect(
      authors.join() === [KNOWN_NAME, 'Coder'].join(),
      place,
      `the authors are ${JSON.stringify(authors)}`,
    );
  // A reply is called after its text and its thread.
  faults.expect(
    reply.title === `RESULT: A function with four lines of code (in: ${KNOWN_TITLE})`,
    place,
    `the title of a reply is wrong: it shows ${JSON.stringify(reply.title)}`,
  );
  faults.expect(
    codeOf(reply.content).includes(CODE_LINES.join('\n')),
    place,
    'code loses its line breaks or its indentation',
  );
}
