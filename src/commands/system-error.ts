import { getSystemErrorMap } from 'node:util';

/**
 * Describes a failed system call without its path, because the path is an argument of the command line and
 * may be a mistyped database URL with its password.
 * @throws the error itself if no system call failed
 */
export function describeSystemError(error: unknown): string {
  const { errno } = error as { errno?: number };
  const [code, meaning] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  if (code === undefined || meaning === undefined) throw error;
  return `${meaning} (${code})`;
}
