import {
  decodeLine,
  textSpan,
  withoutText,
  type EraseTarget,
  type CountedLine,
  type SegmentHeader,
} from './line.ts';
import type { SegmentFile } from './segment-file.ts';

/** An erase line as it names its target. */
export interface Erasure {
  readonly target: EraseTarget;
  readonly base: number;
}

/** A piece with a wrong checksum, which may be a line whose text is being removed. */
export interface Suspect {
  readonly at: number;
  readonly length: number;
  readonly seq: number | undefined;
}

/** A segment in which a line may be erased. */
export interface ErasableSegment {
  readonly file: SegmentFile;
  readonly header: SegmentHeader;
  /** The erase lines of this segment and of all later ones that name a line of this segment. */
  readonly erasures: () => Promise<readonly Erasure[]>;
}

interface Missing {
  readonly missing: number | undefined;
  readonly suspects: readonly Suspect[];
}

/** @returns the line with the missing number, if an erase line names it and was synced after it */
export async function findErasedLine(
  source: ErasableSegment,
  { missing, suspects }: Missing,
): Promise<CountedLine | undefined> {
  const { file, header } = source;
  const erasures = await source.erasures();
  for (const { at, length, seq } of suspects) {
    if (seq !== missing) continue;
    const erasure = erasures.find(
      ({ target, base }) =>
        target.at === at &&
        target.length === length &&
        target.seq === seq &&
        (base >= seq || seq <= header.upto),
    );
    if (erasure === undefined) continue;
    const { bytes, sum } = withoutText(await file.read(at, length), erasure.target.span, header.seed);
    const line = sum === erasure.target.sum ? decodeLine(bytes, header.seed) : undefined;
    if (line !== undefined && 'do' in line)
      return { seq: line.seq, do: line.do, log: header.number, at, bytes };
  }
  return undefined;
}

/** @returns the erase lines of a segment that name a line of the segment with a number */
export async function readErasures(number: number, file: SegmentFile): Promise<Erasure[]> {
  const found: Erasure[] = [];
  const { header, end } = await file.readHeader();
  await file.readPieces(end, ({ bytes }) => {
    const line = bytes && decodeLine(bytes, header.seed);
    if (line !== undefined && 'do' in line && 'moderate' in line.do && line.do.line?.log === number)
      found.push({ target: line.do.line, base: line.base });
    return true;
  });
  return found;
}

/** @returns the target of an erase of a record whose line is given */
export function toEraseTarget({ log, at, seq, bytes }: Omit<CountedLine, 'do'>, seed: number): EraseTarget {
  const span = textSpan(bytes);
  return { log, at, length: bytes.length, seq, span, sum: withoutText(bytes, span, seed).sum };
}
