/** Where values are on an axis by powers of ten, which begins and ends with one. */
export class Scale {
  /** All that the axis has. */
  readonly powers: readonly number[];
  readonly #from: number;
  readonly #perPower: number;
  readonly #least: number;

  constructor(values: readonly number[], from: number, to: number) {
    const [least, most] = [
      Math.floor(Math.log10(Math.min(...values))),
      Math.ceil(Math.log10(Math.max(...values))),
    ];
    this.powers = Array.from({ length: most - least + 1 }, (_, n) => 10 ** (least + n));
    this.#from = from;
    this.#perPower = (to - from) / Math.max(1, most - least);
    this.#least = least;
  }

  /** To a tenth of a pixel. */
  at(value: number): number {
    return Math.round((this.#from + (Math.log10(value) - this.#least) * this.#perPower) * 10) / 10;
  }
}
