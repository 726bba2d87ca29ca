import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { StoreFailure } from '#store/port/store.ts';

const SECRET_BYTES = 32;

/** The name of the secret of a day, or the temporary name of one that a crash has left. */
const DAY = /^(?:\.tmp-)?(\d{4}-\d\d-\d\d)(?:-[0-9a-f-]{36})?$/;

/**
 * The folder VISITOR_SECRET_DIR: a file with 32 random bytes for each UTC day, such as `2026-11-21`. The
 * servers of a database share it. Files with other names are never read and never removed.
 */
export class SecretFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns undefined if the day has no secret. @throws StoreFailure if the file cannot be used */
  read(day: string): Buffer | undefined {
    try {
      const secret = readFileSync(join(this.#path, day));
      if (secret.length === SECRET_BYTES) return secret;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#failure(error);
    }
    throw new StoreFailure(
      'nothing',
      `VISITOR_SECRET_DIR: the file ${day} does not have ${SECRET_BYTES} bytes`,
    );
  }

  /** Creates the secret of a day unless it exists. @returns the secret of the day. @throws StoreFailure */
  make(day: string): Buffer {
    const existing = this.read(day);
    if (existing !== undefined) return existing;
    const temporary = join(this.#path, `.tmp-${day}-${randomUUID()}`);
    try {
      mkdirSync(this.#path, { recursive: true, mode: 0o700 });
      const file = openSync(temporary, 'wx', 0o600);
      try {
        writeSync(file, randomBytes(SECRET_BYTES));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      // If several servers create a secret, only one of them gets the name.
      linkSync(temporary, join(this.#path, day));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw this.#failure(error);
    } finally {
      rmSync(temporary, { force: true });
    }
    const made = this.read(day);
    if (made === undefined)
      throw new StoreFailure('nothing', `VISITOR_SECRET_DIR: the file ${day} is missing`);
    return made;
  }

  /** Removes the secrets of earlier days. After a failure the next call tries again. */
  removeBefore(day: string): void {
    try {
      for (const name of readdirSync(this.#path)) {
        const [, named = day] = DAY.exec(name) ?? [];
        if (named < day) rmSync(join(this.#path, name), { force: true });
      }
    } catch {
      // The folder does not exist yet, or its disk fails, which the next write reports.
    }
  }

  #failure(cause: unknown): StoreFailure {
    const { code = 'an error' } = cause as NodeJS.ErrnoException;
    return new StoreFailure('nothing', `VISITOR_SECRET_DIR cannot be used: ${code}`, { cause });
  }
}
