import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const TICKS_PER_SECOND = 100;

/** @returns the processor time of a process in seconds; NaN without /proc */
export function cpuSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/** @returns the processor time of the threads of a process in milliseconds, finer than `cpuSecondsOf`; NaN without /proc */
export function cpuMillisecondsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
      .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0);
  } catch {
    return NaN;
  }
}

/** Settles once a process hardly works, as a server that has built its search index. */
export async function untilIdle(pid: number): Promise<void> {
  for (let before = -Infinity, now = cpuMillisecondsOf(pid); now - before > 10; ) {
    await sleep(500);
    [before, now] = [now, cpuMillisecondsOf(pid)];
  }
}

/** @returns the resident set size of a process in megabytes; NaN without /proc */
export function residentMegabytesOf(pid: number): number {
  return megabytesOf(pid, 'VmRSS');
}

/** @returns the largest resident set size since `resetPeakMemory` in megabytes; NaN without /proc */
export function peakMegabytesOf(pid: number): number {
  return megabytesOf(pid, 'VmHWM');
}

/** Makes the resident set size of now the largest one. Without /proc nothing happens. */
export function resetPeakMemory(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // `peakMegabytesOf` returns NaN then.
  }
}

function megabytesOf(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024;
  } catch {
    return NaN;
  }
}
