/** The store's files say something that no writer of ours writes. Nothing was touched. */
export class Damage extends Error {
  override readonly name = 'Damage';

  constructor(path: string, what: string, offset?: number) {
    super(`${path}${offset === undefined ? '' : ` at byte ${offset}`}: ${what}`);
  }
}
