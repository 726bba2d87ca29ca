import { Float64Column, Int32Column, NONE, Uint8Column } from '#store/memory/columns/column.ts';

/** The place of a line that counts. */
export interface LinePlace {
  /** Number of the segment. */
  readonly log: number;
  readonly at: number;
  /** In bytes, without the line feed. */
  readonly length: number;
  /** Whether the line holds an encrypted write entry. */
  readonly isSigned: boolean;
}

/** The place of every line by its number: 17 bytes a line. */
export class LinePlaces {
  readonly #logs = new Int32Column();
  readonly #offsets = new Float64Column();
  readonly #lengths = new Int32Column();
  readonly #signed = new Uint8Column();

  set(seq: number, { log, at, length, isSigned }: LinePlace): void {
    this.#logs.set(seq, log);
    this.#offsets.set(seq, at);
    this.#lengths.set(seq, length);
    this.#signed.set(seq, isSigned ? 1 : 0);
  }

  /** @returns undefined for a number that was never set */
  get(seq: number): LinePlace | undefined {
    const log = this.#logs.get(seq);
    if (log === NONE) return undefined;
    const isSigned = this.#signed.get(seq) === 1;
    return { log, at: this.#offsets.get(seq), length: this.#lengths.get(seq), isSigned };
  }
}
