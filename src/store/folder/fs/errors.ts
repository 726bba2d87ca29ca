import { StoreFailure } from '#store/port/store.ts';

/** A file has content that this program never writes, or a folder, link, pipe or device has its name. */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError';

  constructor(path: string, what: string, offset?: number) {
    super(`${path}${offset === undefined ? '' : ` at byte ${offset}`}: ${what}`);
  }
}

export const isError = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** For a write of which the disk stored only a part, as when it becomes full. */
export function shortWriteError(): Error {
  return Object.assign(new Error('ENOSPC: the disk took only a part of the write'), { code: 'ENOSPC' });
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the log has reached the largest size the system allows',
  EROFS: 'the disk is read-only',
  EACCES: 'the data folder is not writable',
  EPERM: 'the data folder is not writable',
  EMFILE: 'too many files are open',
};

/** Says why the store accepts no writes. Names no path, since anybody may read it. */
export function describeDiskError(error: unknown): string {
  // Without a cause the message is the store's own, and names no path.
  if (error instanceof StoreFailure && error.cause === undefined) return error.message;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof CorruptionError) return 'the store is damaged';
  const code = Object.keys(WORDS).find((name) => isError(cause, name));
  return WORDS[code ?? ''] ?? 'the disk does not take writes';
}
