/** The place of a line that counts. */
export interface RowPlace {
  /** Number of the segment. */
  readonly log: number;
  readonly at: number;
  /** In bytes, without the line feed. */
  readonly length: number;
  /** Whether the line holds an encrypted write entry. */
  readonly isSigned: boolean;
}

const CHUNK_ROWS = 4096;

interface Chunk {
  /** Numbers of segments. */
  readonly logs: Uint16Array;
  readonly signed: Uint8Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** The place of every line by its number: 15 bytes a line, in chunks, so that growing copies nothing. */
export class RowPlaces {
  readonly #chunks: Chunk[] = [];

  /** @param seq from 1 */
  set(seq: number, { log, at, length, isSigned }: RowPlace): void {
    const { logs, signed, offsets, lengths } = this.#chunkOf(Math.floor(seq / CHUNK_ROWS));
    const row = seq % CHUNK_ROWS;
    logs[row] = log;
    signed[row] = isSigned ? 1 : 0;
    offsets[row] = at;
    lengths[row] = length;
  }

  /** @returns undefined for a number that was never set */
  get(seq: number): RowPlace | undefined {
    const chunk = this.#chunks[Math.floor(seq / CHUNK_ROWS)];
    const row = seq % CHUNK_ROWS;
    const length = chunk?.lengths[row] ?? 0;
    if (chunk === undefined || length === 0) return undefined;
    const isSigned = chunk.signed[row] === 1;
    return { log: chunk.logs[row] ?? 0, at: chunk.offsets[row] ?? 0, length, isSigned };
  }

  #chunkOf(index: number): Chunk {
    for (;;) {
      const chunk = this.#chunks[index];
      if (chunk !== undefined) return chunk;
      this.#chunks.push(newChunk());
    }
  }
}

function newChunk(): Chunk {
  return {
    logs: new Uint16Array(CHUNK_ROWS),
    signed: new Uint8Array(CHUNK_ROWS),
    offsets: new Float64Array(CHUNK_ROWS),
    lengths: new Uint32Array(CHUNK_ROWS),
  };
}
