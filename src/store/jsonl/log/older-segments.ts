import { CorruptionError } from '#store/jsonl/corruption.ts';
import type { LogState, Segment } from './log-state.ts';
import { SegmentFile } from './segment-file.ts';

/**
 * Works on a segment. An older one is opened for that time.
 * @throws CorruptionError if another file has the name of the segment
 */
export async function withSegment<Result>(
  state: LogState,
  number: number,
  work: (file: SegmentFile, segment: Segment) => Promise<Result>,
): Promise<Result> {
  const segment = state.segments.find(({ header }) => header.number === number);
  if (segment === undefined) throw new CorruptionError(state.context.folder, `there is no segment ${number}`);
  if (segment === state.current) return work(state.file, segment);
  const file = await SegmentFile.open(state.context.disk, state.context.folder, segment.name);
  try {
    const { header } = await file.readHeader();
    if (header.seed !== segment.header.seed || header.number !== number)
      throw new CorruptionError(file.path, 'the segment was replaced');
    return await work(file, segment);
  } finally {
    await file.close();
  }
}
