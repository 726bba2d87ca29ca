import { CorruptionError } from '#store/jsonl/corruption.ts';
import { isError } from './atomic-files.ts';

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the log has reached the largest size the system allows',
  EROFS: 'the disk is read-only',
  EACCES: 'the data folder does not let itself be written',
  EPERM: 'the data folder does not let itself be written',
  EMFILE: 'too many files are open',
};

/** Why the store does not take writes, in words that name no path, since anybody may read them. */
export function troubleOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof CorruptionError) return 'the store is damaged';
  const code = Object.keys(WORDS).find((name) => isError(cause, name));
  return WORDS[code ?? ''] ?? 'the disk does not take writes';
}
