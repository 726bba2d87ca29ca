import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Of the four threads of libuv, which sync the store too. */
const MAX_AT_ONCE = 2;

const compressInThread = promisify<Buffer, Buffer>(gzip);

/** Compresses bodies in threads, a few at once. */
export class Compressor {
  readonly #compress: (body: Buffer) => Promise<Buffer>;
  #running = 0;
  #skipped = 0;

  /** @param compress at its default level and without a time of its own, so equal bodies become equal bytes */
  constructor(compress = compressInThread) {
    this.#compress = compress;
  }

  /** Compressions that run now, and those that were refused since the start. */
  get counts(): Readonly<Record<'running' | 'skipped', number>> {
    return { running: this.#running, skipped: this.#skipped };
  }

  /** @returns undefined if no thread is free: the body is then sent as it is */
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
