import type { ChildProcess } from 'node:child_process';

const NEWLINE = 10;

/** Asks a process by lines over its standard input, one at a time. */
export class Speaker {
  readonly #child: ChildProcess;
  #chunks: Buffer[] = [];
  #heard: ((line: Buffer) => void) | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout!.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      if (chunk.at(-1) !== NEWLINE) return;
      const line = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#heard?.(line);
    });
  }

  /** @returns the line of the answer */
  ask(line: string): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#heard = resolve;
      this.#child.stdin!.write(line);
    });
  }

  tell(line: string): void {
    this.#child.stdin!.write(line);
  }
}
