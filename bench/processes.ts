import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

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

/**
 * Reads the processor time of a process's threads in milliseconds, finer than `readCpuSeconds`; NaN without
 * /proc.
 */
export function readCpuMilliseconds(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
      .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
  } catch {
    return NaN;
  }
}

/** Settles once a process is almost idle, such as a server after it has built its search index. */
export async function untilIdle(pid: number): Promise<void> {
  for (let before = -Infinity, now = readCpuMilliseconds(pid); now - before > 10; ) {
    await sleep(500);
    [before, now] = [now, readCpuMilliseconds(pid)];
  }
}

/** Reads the resident set size of a process in megabytes; NaN without /proc. */
export function readResidentMegabytes(pid: number): number {
  return readMegabytes(pid, 'VmRSS');
}

/** Reads the largest resident set size since `resetPeakMemory` in megabytes; NaN without /proc. */
export function readPeakMegabytes(pid: number): number {
  return readMegabytes(pid, 'VmHWM');
}

/** Resets the largest resident set size to the current one. Does nothing without /proc. */
export function resetPeakMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // `readPeakMegabytes` then returns NaN.
  }
}

function readMegabytes(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024;
  } catch {
    return NaN;
  }
}
