import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { CorruptionError } from '#store/jsonl/corruption.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { placeFile, readWhole, removeFile, replaceFile } from '#store/jsonl/fs/atomic-files.ts';
import { encodeLine, type Seal } from './record.ts';
import { headerLine, Log } from './log.ts';

const CURRENT = 'CURRENT';
const FIRST = logName(1);
const LOG_NAME = /^log-(\d{6,})(?:-[0-9a-f]{16})?\.jsonl$/;

function logName(generation: number, suffix = ''): string {
  return `log-${String(generation).padStart(6, '0')}${suffix}.jsonl`;
}

function generationOf(name: string): number {
  return Number(LOG_NAME.exec(name)?.[1]);
}

/** A name of its own for a log that may come to replace another. */
export function successorOf(name: string): string {
  return logName(generationOf(name) + 1, `-${randomBytes(8).toString('hex')}`);
}

/**
 * @param mayBegin whether to make a store where the folder holds none
 * @returns the log that CURRENT names
 * @throws Damage
 */
export async function openCurrent(disk: Disk, folder: string, mayBegin: boolean): Promise<Log> {
  const there = await readWhole(disk, join(folder, CURRENT));
  if (there === undefined && !mayBegin) throw new CorruptionError(folder, 'there is no store in this folder');
  const named = there ?? (await begin(disk, folder));
  await disk.syncFolder(folder);
  const name = named.toString().replace(/\n$/, '');
  if (!LOG_NAME.test(name)) throw new CorruptionError(join(folder, CURRENT), 'it names no log');
  return openNamed(disk, folder, name);
}

/** @throws Damage where the log is missing. */
export async function openNamed(disk: Disk, folder: string, name: string): Promise<Log> {
  if (!(await disk.list(folder)).includes(name)) {
    throw new CorruptionError(join(folder, name), 'the log is missing; restore it from a backup');
  }
  return Log.open(disk, folder, name);
}

/** Of several starters one wins, and a crash leaves nothing half: every file appears whole. */
async function begin(disk: Disk, folder: string): Promise<Buffer> {
  await disk.makeFolder(folder);
  const begun = await holdsLines(disk, folder);
  if (!begun) {
    await placeFile(disk, folder, FIRST, headerLine());
    await placeFile(disk, folder, CURRENT, Buffer.from(`${FIRST}\n`));
  }
  const current = await readWhole(disk, join(folder, CURRENT));
  if (current === undefined) {
    throw new CorruptionError(
      join(folder, CURRENT),
      'it is missing, and there are logs; restore it from a backup',
    );
  }
  return current;
}

/** A log that holds its header and nothing else is what a crash in the first start may leave. */
async function holdsLines(disk: Disk, folder: string): Promise<boolean> {
  for (const name of await disk.list(folder)) {
    if (LOG_NAME.test(name) && (await readWhole(disk, join(folder, name)))?.equals(headerLine()) !== true)
      return true;
  }
  return false;
}

/**
 * Makes a switch from one log to the next durable. Whoever reads a seal does this before it builds on the next log,
 * since the one who wrote the seal may have been stopped. What is done may be done again, at any later time: so the
 * old log's name is not removed but left to a line that points onwards, or a CURRENT renamed into place by a process
 * that woke up late would lead nowhere.
 */
export async function settle(disk: Disk, folder: string, from: string, seal: Seal): Promise<void> {
  const current = await readWhole(disk, join(folder, CURRENT));
  if (current?.toString() === `${from}\n`)
    await replaceFile(disk, folder, CURRENT, Buffer.from(`${seal.log}\n`));
  else await disk.syncFolder(folder);
  const header = headerLine();
  const pointer = encodeLine(header.length, 1, 0, `"seal":${JSON.stringify(seal)}`);
  await replaceFile(disk, folder, from, Buffer.concat([header, pointer]));
  for (const name of await disk.list(folder)) {
    const rival = generationOf(name) === generationOf(seal.log) && name !== seal.log;
    if (rival) await removeFile(disk, join(folder, name));
  }
}
