/** A logarithmic axis that begins and ends with a power of ten. */
export class Scale {
  /** The powers of ten of the axis. */
  readonly powers: readonly number[];
  readonly #from: number;
  readonly #perPower: number;
  readonly #minPower: number;

  constructor(values: readonly number[], from: number, to: number) {
    const [min, max] = [
      Math.floor(Math.log10(Math.min(...values))),
      Math.ceil(Math.log10(Math.max(...values))),
    ];
    this.powers = Array.from({ length: max - min + 1 }, (_, n) => 10 ** (min + n));
    this.#from = from;
    this.#perPower = (to - from) / Math.max(1, max - min);
    this.#minPower = min;
  }

  /** @returns the position, rounded to a tenth of a pixel */
  at(value: number): number {
    return Math.round((this.#from + (Math.log10(value) - this.#minPower) * this.#perPower) * 10) / 10;
  }
}
