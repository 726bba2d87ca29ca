const CAPITAL = /[A-Z]/;

/**
 * Whether the key of a mark was minted for its message, so that nobody has sent it: then its letters are
 * capitals.
 */
export function isMinted(mark: string): boolean {
  return CAPITAL.test(mark);
}

/** @returns the mark as it is compared and shown: one key has one in a thread, minted or sent */
export function comparableMark(mark: string): string {
  return mark.toLowerCase();
}
