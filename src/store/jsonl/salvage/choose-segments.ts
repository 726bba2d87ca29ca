import { generationOf, isLogName, segmentName } from '#store/jsonl/log/segment-names.ts';
import type { Loss } from '#store/store.ts';
import type { FoundSegment } from './read-segment.ts';

export interface NumberedSegment extends FoundSegment {
  /** In the name that the segment has, or should have. */
  readonly number: number;
}

/**
 * Finds the segments of the log in order, as an opener would follow them.
 * @param found the files of the log and the temporary files, by name; at least one of the log
 * @param current what CURRENT holds, without its line feed; undefined if there is no such file
 */
export function chooseSegments(
  found: ReadonlyMap<string, FoundSegment>,
  current: string | undefined,
): { segments: readonly NumberedSegment[]; losses: readonly Loss[] } {
  const losses: Loss[] = [];
  const segments: NumberedSegment[] = [];
  const add = (name: string, number: number): boolean => {
    const segment = found.get(name);
    if (segment !== undefined) segments.push({ ...segment, number });
    return segment !== undefined;
  };
  if (current !== undefined && !(isLogName(current) && found.has(current)))
    losses.push({ file: 'CURRENT', what: 'it does not name a log of this folder' });
  const first = firstName(found, current);
  add(first, generationOf(first));
  const highest = Math.max(...[...found.keys()].map(plainNumberOf));
  for (let last = segments.at(-1); last !== undefined; last = segments.at(-1)) {
    const next = last.number + 1;
    // The process that began the segment may have died before it gave the segment its name.
    if (add(segmentName(next), next) || add(last.seal ?? '', next)) continue;
    if (last.seal === undefined && next > highest) break;
    losses.push({ file: segmentName(next), what: 'the segment is missing' });
    const later = [...found.keys()].map(plainNumberOf).filter((number) => number > next);
    if (later.length === 0) break;
    const number = Math.min(...later);
    add(segmentName(number), number);
  }
  return { segments, losses };
}

/** @returns the number of a segment; 0 for the name of another file */
function plainNumberOf(name: string): number {
  const number = generationOf(name);
  return segmentName(number) === name ? number : 0;
}

function firstName(found: ReadonlyMap<string, FoundSegment>, current: string | undefined): string {
  const names = [...found.keys()].filter(isLogName);
  const byNumber = names.toSorted((a, b) => generationOf(a) - generationOf(b));
  let name = names.find((other) => other === current) ?? byNumber[0] ?? '';
  // A log of format 1 that was replaced leads to the log that replaced it.
  for (const seen = new Set<string>(); !seen.has(name); ) {
    seen.add(name);
    const { format, seal = '' } = found.get(name) ?? {};
    if (format === 1 && isLogName(seal) && found.has(seal)) name = seal;
  }
  return name;
}
