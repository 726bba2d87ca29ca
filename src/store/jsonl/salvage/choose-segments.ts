import { isSegmentName, segmentName, segmentNumber } from '#store/jsonl/log/segment-names.ts';
import type { Loss } from '#store/store.ts';
import type { FoundSegment } from './read-segment.ts';

export interface NumberedSegment extends FoundSegment {
  /** In the name that the segment has, or should have. */
  readonly number: number;
}

/**
 * Finds the segments of the log in order, as an opener would follow them.
 * @param found the files of the log and the temporary files, by name; at least one of the log
 */
export function chooseSegments(found: ReadonlyMap<string, FoundSegment>): {
  segments: readonly NumberedSegment[];
  losses: readonly Loss[];
} {
  const losses: Loss[] = [];
  const segments: NumberedSegment[] = [];
  const add = (name: string, number: number): boolean => {
    const segment = found.get(name);
    if (segment !== undefined) segments.push({ ...segment, number });
    return segment !== undefined;
  };
  const numbers = [...found.keys()].filter(isSegmentName).map(segmentNumber);
  const [lowest, highest] = [Math.min(...numbers), Math.max(...numbers)];
  add(segmentName(lowest), lowest);
  for (let last = segments.at(-1); last !== undefined; last = segments.at(-1)) {
    const next = last.number + 1;
    // The process that began the segment may have died before it gave the segment its name.
    if (add(segmentName(next), next) || add(last.seal ?? '', next)) continue;
    if (last.seal === undefined && next > highest) break;
    losses.push({ file: segmentName(next), what: 'the segment is missing' });
    const later = numbers.filter((number) => number > next);
    if (later.length === 0) break;
    const number = Math.min(...later);
    add(segmentName(number), number);
  }
  return { segments, losses };
}
