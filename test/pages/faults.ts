const MAX_PAGES_SHOWN = 12;
const MAX_CHARACTERS = 300;

/** Where a fault is. */
export interface Place {
  /** The state of the store, and the name of the page or the path of the feed. */
  readonly page: string;
  /** The window and the palette. */
  readonly view?: string;
  /** Such as a selector, a line or a measure. Of each page the first is shown. */
  readonly detail?: string;
}

interface Occurrences {
  readonly views: Set<string>;
  readonly detail: string | undefined;
}

const shorten = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_CHARACTERS);

/** The faults that one check found, each with the places where it occurs. */
export class Faults {
  /** How many pages, in how many views, or feeds were examined. */
  examined = 0;
  readonly #faults = new Map<string, Map<string, Occurrences>>();

  /** An equal fault of another place counts once. */
  add({ page, view, detail }: Place, fault: string): void {
    const text = shorten(fault);
    const pages = this.#faults.get(text) ?? new Map<string, Occurrences>();
    this.#faults.set(text, pages);
    const { views, ...first } = pages.get(page) ?? { views: new Set<string>(), detail };
    pages.set(page, { views: view === undefined ? views : views.add(view), ...first });
  }

  expect(condition: boolean, place: Place, fault: string): void {
    if (!condition) this.add(place, fault);
  }

  /** How many different faults were found. */
  get count(): number {
    return this.#faults.size;
  }

  /** One line for each fault, and one for each page that has it. */
  get lines(): readonly string[] {
    return [...this.#faults].flatMap(([fault, pages]) => [
      `  ${fault}`,
      ...[...pages]
        .slice(0, MAX_PAGES_SHOWN)
        .map(([page, { views, detail }]) =>
          [
            `    ${page}`,
            ...(views.size > 0 ? [` (${[...views].join(', ')})`] : []),
            ...(detail === undefined ? [] : [`: ${shorten(detail)}`]),
          ].join(''),
        ),
      ...(pages.size > MAX_PAGES_SHOWN ? [`    and ${pages.size - MAX_PAGES_SHOWN} more pages`] : []),
    ]);
  }
}
