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

const CHUNK_LINES = 4096;

interface Chunk {
  /** Numbers of segments. */
  readonly logs: Uint16Array;
  readonly signed: Uint8Array;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
}

/** The place of every line by its number: 15 bytes a line, in chunks, so that growing copies nothing. */
export class LinePlaces {
  readonly #chunks: Chunk[] = [];

  /** @param seq from 1 */
  set(seq: number, { log, at, length, isSigned }: LinePlace): void {
    const { logs, signed, offsets, lengths } = this.#chunkOf(Math.floor(seq / CHUNK_LINES));
    const index = seq % CHUNK_LINES;
    logs[index] = log;
    signed[index] = isSigned ? 1 : 0;
    offsets[index] = at;
    lengths[index] = length;
  }

  /** @returns undefined for a number that was never set */
  get(seq: number): LinePlace | undefined {
    const chunk = this.#chunks[Math.floor(seq / CHUNK_LINES)];
    const index = seq % CHUNK_LINES;
    const length = chunk?.lengths[index] ?? 0;
    if (chunk === undefined || length === 0) return undefined;
    const isSigned = chunk.signed[index] === 1;
    return { log: chunk.logs[index] ?? 0, at: chunk.offsets[index] ?? 0, length, isSigned };
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
    logs: new Uint16Array(CHUNK_LINES),
    signed: new Uint8Array(CHUNK_LINES),
    offsets: new Float64Array(CHUNK_LINES),
    lengths: new Uint32Array(CHUNK_LINES),
  };
}
