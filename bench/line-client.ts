import type { ChildProcess } from 'node:child_process';

const NEWLINE = 10;

/** Sends lines to a process and receives its lines, one request at a time. */
export class LineClient {
  readonly #child: ChildProcess;
  #chunks: Buffer[] = [];
  #onLine: ((line: Buffer) => void) | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout!.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      if (chunk.at(-1) !== NEWLINE) return;
      const line = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#onLine?.(line);
    });
  }

  /** @returns the next line of the process */
  request(line: string): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#onLine = resolve;
      this.#child.stdin!.write(line);
    });
  }

  notify(line: string): void {
    this.#child.stdin!.write(line);
  }
}
