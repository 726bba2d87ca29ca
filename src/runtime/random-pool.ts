import { randomBytes } from 'node:crypto';

const PIECES_AT_ONCE = 256;

/** Hands out random bytes in pieces. Asking the system for a few bytes takes as long as for many. */
export class RandomPool {
  readonly #pieceBytes: number;
  #left = Buffer.alloc(0);

  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
  }

  /** @returns bytes that no other call returns */
  next(): Buffer {
    if (this.#left.length === 0) this.#left = randomBytes(PIECES_AT_ONCE * this.#pieceBytes);
    const piece = this.#left.subarray(0, this.#pieceBytes);
    this.#left = this.#left.subarray(this.#pieceBytes);
    return piece;
  }
}
