/** An encoded result that a transport sends, such as the bytes of an HTTP response. */
export interface EncodedResult {
  /** Estimated memory in bytes. */
  readonly size: number;
}

export type Content = Pick<CachedResult, 'input' | 'output' | 'text'> & { readonly isPrivate?: boolean };

/** Estimated memory of a cache entry besides its texts: the entry, and the objects of its encodings. */
const OVERHEAD_BYTES = 2_000;

/** The result of a read. It is encoded on first use. */
export class CachedResult {
  /** The validated arguments, without a key. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: Readonly<Record<string, unknown>>;
  /** `output` as JSON. */
  readonly text: string;
  /** Whether only one caller may see it. */
  readonly isPrivate: boolean;
  readonly #encoded = new Map<(result: CachedResult) => EncodedResult | undefined, EncodedResult>();
  readonly #onGrowth: (result: CachedResult) => void;
  /** Invariant: OVERHEAD_BYTES, the size of `text` and its objects, and the sizes of all encodings. */
  size: number;

  /** @param onGrowth called after `size` has risen */
  constructor(
    { input, output, text, isPrivate = false }: Content,
    onGrowth: (result: CachedResult) => void = () => undefined,
  ) {
    this.input = input;
    this.output = output;
    this.text = text;
    this.isPrivate = isPrivate;
    this.#onGrowth = onGrowth;
    // V8 stores at most two bytes for a UTF-16 unit; the objects of `output` take about one more.
    this.size = OVERHEAD_BYTES + 3 * text.length;
  }

  /** @param make also the key of the encoding. If it returns undefined, the next call tries again */
  encodedAs<Made extends EncodedResult | undefined>(make: (result: CachedResult) => Made): Made {
    const cached = this.#encoded.get(make);
    // Safe: the value under a function is what that function returned.
    if (cached !== undefined) return cached as Made;
    const made = make(this);
    if (made === undefined) return made;
    this.#encoded.set(make, made);
    this.size += made.size;
    this.#onGrowth(this);
    return made;
  }
}

/**
 * Copies bytes out of Node's buffer pool, so that an encoding takes no more memory than its size says: a pool
 * stays in memory as long as any Buffer from it.
 */
export function toOwnBytes(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
