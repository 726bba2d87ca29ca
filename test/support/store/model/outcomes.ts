/** What callers were answered so far. */
export class Outcomes {
  /** Posts that were acknowledged. */
  readonly stored = new Set<string>();
  /** Posts of which a caller was told that they are not stored. */
  readonly refused = new Set<string>();
  /** Posts whose erase was acknowledged. */
  readonly erased = new Set<string>();
  /** Timestamps of acknowledged moderations. */
  readonly moderated = new Set<string>();

  copy(): Outcomes {
    const copy = new Outcomes();
    // A power cut may come before the bytes of a refused post are overwritten, but never makes it count.
    for (const name of ['stored', 'refused', 'erased', 'moderated'] as const)
      for (const entry of this[name]) copy[name].add(entry);
    return copy;
  }
}
