const CAPITAL = /[A-Z]/;

/**
 * Whether the service has minted the key of a mark for its message. Such a mark has capitals; that of a sent
 * key has lower case.
 */
export function isMinted(mark: string): boolean {
  return CAPITAL.test(mark);
}

/** @returns the mark as it is compared and shown, the same for a minted key and the same key when sent */
export function comparableMark(mark: string): string {
  return mark.toLowerCase();
}
