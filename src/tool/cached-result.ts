/** A form in which a surface sends a result, such as the bytes of an HTTP response. */
export interface ResultForm {
  /** Bytes of memory. */
  readonly size: number;
}

type MakeForm = (result: CachedResult) => ResultForm;

/** What a key, an entry and the objects of its forms take besides their texts, in bytes. */
const OVERHEAD = 2_000;

/** A result of a read, as JSON text and in every form that a surface has asked for. */
export class CachedResult {
  /** The validated arguments. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly #forms = new Map<MakeForm, ResultForm>();
  readonly #grew: (result: CachedResult) => void;
  #size: number;

  /** @param grew is called after a form was made, since the result then takes more memory */
  constructor(
    { input, output, text }: Pick<CachedResult, 'input' | 'output' | 'text'>,
    grew: (result: CachedResult) => void = () => undefined,
  ) {
    this.input = input;
    this.output = output;
    this.text = text;
    this.#grew = grew;
    // At most two bytes a character for the text, and about one for the objects it was made from.
    this.#size = OVERHEAD + 3 * text.length;
  }

  /** An upper estimate in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Makes a form when it is first asked for. @param make the same function for the same form */
  form<Made extends ResultForm>(make: (result: CachedResult) => Made): Made {
    const known = this.#forms.get(make);
    // The map holds under each function what that function returned.
    if (known !== undefined) return known as Made;
    const made = make(this);
    this.#forms.set(make, made);
    this.#size += made.size;
    this.#grew(this);
    return made;
  }
}
