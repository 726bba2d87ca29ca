/** The store's files say something that no writer of ours writes. Nothing was touched. */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError';

  constructor(path: string, what: string, offset?: number) {
    super(`${path}${offset === undefined ? '' : ` at byte ${offset}`}: ${what}`);
  }
}
