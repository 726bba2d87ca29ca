import { randomBytes } from 'node:crypto';
import { TEMPORARY } from '#store/jsonl/fs/atomic-files.ts';

const SEGMENT_NAME = /^log-(\d{6,})\.jsonl$/;
const TEMPORARY_SEGMENT = /^\.tmp-(\d{6,})-/;

function digits(number: number): string {
  return String(number).padStart(6, '0');
}

export function segmentName(number: number): string {
  return `log-${digits(number)}.jsonl`;
}

export function isSegmentName(name: string): boolean {
  return SEGMENT_NAME.test(name);
}

/** @returns the number in the name of a segment; NaN for another name */
export function segmentNumber(name: string): number {
  return Number(SEGMENT_NAME.exec(name)?.[1]);
}

/** A name for a segment that is being written, with its number. */
export function temporarySegmentName(number: number): string {
  return `${TEMPORARY}${digits(number)}-${randomBytes(8).toString('hex')}`;
}

/** @returns undefined for a name that `temporarySegmentName` does not make */
export function numberOfTemporary(name: string): number | undefined {
  const match = TEMPORARY_SEGMENT.exec(name);
  return match === null ? undefined : Number(match[1]);
}
