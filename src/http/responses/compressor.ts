import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** The share of compressions in the four threads of libuv, which also sync the store. */
const MAX_AT_ONCE = 2;

const compressInThread = promisify<Buffer, Buffer>(gzip);

export class Compressor {
  readonly #compress: (body: Buffer) => Promise<Buffer>;
  #running = 0;
  #skipped = 0;

  /** @param compress must be deterministic: gzip at its default level, without a timestamp */
  constructor(compress = compressInThread) {
    this.#compress = compress;
  }

  /** Compressions that run now, and compressions skipped since the start. */
  get counts(): Readonly<Record<'running' | 'skipped', number>> {
    return { running: this.#running, skipped: this.#skipped };
  }

  /** @returns undefined if no thread is free; the body is then sent uncompressed */
  compress(body: Buffer): Promise<Buffer> | undefined {
    if (this.#running === MAX_AT_ONCE) {
      this.#skipped += 1;
      return undefined;
    }
    this.#running += 1;
    return this.#compress(body).finally(() => {
      this.#running -= 1;
    });
  }
}
