import { isError } from '#store/jsonl/fs/errors.ts';
import type { DiskFile } from '#store/jsonl/fs/disk.ts';

const BLOCK_BYTES = 4096;

/** Reads blocks that the disk cannot read as zeros. */
export function withoutReadErrors(file: DiskFile): Pick<DiskFile, 'size' | 'read'> {
  return {
    size: () => file.size(),
    read: async (into, at) => {
      try {
        return await file.read(into, at);
      } catch (error) {
        if (!isError(error, 'EIO')) throw error;
        if (into.length > BLOCK_BYTES) return await readBlocks(file, into, at);
        into.fill(0);
        return into.length;
      }
    },
  };
}

async function readBlocks(file: DiskFile, into: Buffer, at: number): Promise<number> {
  const blocks = withoutReadErrors(file);
  for (let done = 0; done < into.length; ) {
    // Up to the end of a block of the disk.
    const length = BLOCK_BYTES - ((at + done) % BLOCK_BYTES);
    const read = await blocks.read(into.subarray(done, done + length), at + done);
    if (read === 0) return done;
    done += read;
  }
  return into.length;
}
