/** The disk took only a part of a write, as it does when it becomes full. */
export function shortWriteError(): Error {
  return Object.assign(new Error('ENOSPC: the disk took only a part of the write'), { code: 'ENOSPC' });
}
