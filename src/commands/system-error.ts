import { getSystemErrorMap } from 'node:util';

/**
 * Describes a failed system call without its path: a path is an argument, and an argument may be the address of a database
 * with its password.
 */
export function describeSystemError(error: unknown): string {
  const { errno } = error as { errno?: number };
  const [code, meaning] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  if (code === undefined || meaning === undefined) throw error;
  return `${meaning} (${code})`;
}
