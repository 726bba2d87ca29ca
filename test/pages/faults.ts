const MAX_PLACES_SHOWN = 8;
const MAX_DETAIL_CHARACTERS = 300;

/** The faults that one check found, each with the places where it occurs. */
export class Faults {
  /** How many pages or feeds were examined. */
  examined = 0;
  readonly #places = new Map<string, Set<string>>();

  /** @param place such as `full /feed 390x844 dark`; an equal fault of another place counts once */
  add(place: string, fault: string): void {
    const text = fault.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_DETAIL_CHARACTERS);
    const places = this.#places.get(text) ?? new Set();
    this.#places.set(text, places.add(place));
  }

  expect(condition: boolean, place: string, fault: string): void {
    if (!condition) this.add(place, fault);
  }

  /** How many different faults were found. */
  get count(): number {
    return this.#places.size;
  }

  /** One line for each fault, and one for each of its places. */
  get lines(): readonly string[] {
    return [...this.#places].flatMap(([fault, places]) => [
      `  ${fault}`,
      ...[...places].slice(0, MAX_PLACES_SHOWN).map((place) => `    ${place}`),
      ...(places.size > MAX_PLACES_SHOWN ? [`    and ${places.size - MAX_PLACES_SHOWN} more`] : []),
    ]);
  }
}
