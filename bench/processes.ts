import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Reads the processor time of a process in seconds; NaN without /proc. */
export function readCpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}
