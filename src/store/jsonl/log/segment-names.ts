import { randomBytes } from 'node:crypto';
import { TEMPORARY } from '#store/jsonl/fs/atomic-files.ts';

/** The first edition gave every log but the first a suffix. */
const LOG_NAME = /^log-(\d{6,})(?:-[0-9a-f]{16})?\.jsonl$/;
const TEMPORARY_SEGMENT = /^\.tmp-(\d{6,})-/;

function digits(number: number): string {
  return String(number).padStart(6, '0');
}

/** @param number from 1 */
export function segmentName(number: number): string {
  return `log-${digits(number)}.jsonl`;
}

/** Whether a log of either format may have the name. */
export function isLogName(name: string): boolean {
  return LOG_NAME.test(name);
}

/** @returns the number in the name of a log; NaN if it is none */
export function generationOf(name: string): number {
  return Number(LOG_NAME.exec(name)?.[1]);
}

/** @param suffix 16 hexadecimal digits */
export function nameOfGeneration(generation: number, suffix: string): string {
  return `log-${digits(generation)}-${suffix}.jsonl`;
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
