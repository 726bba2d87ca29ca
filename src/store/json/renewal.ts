import { join } from 'node:path';
import type { Operation } from '#store/operation.ts';
import { encodeOperations } from './codec.ts';
import type { DayKeys } from './day-keys.ts';
import type { Disk } from './disk.ts';
import { removeFile } from './files.ts';
import { successorOf } from './generations.ts';
import type { Seal, WorkLine } from './line.ts';
import { Log, START, type Position } from './log.ts';

/** A write is cut into pieces of about this size. */
export const WRITE_BYTES = 1024 * 1024;

export interface Renewed {
  readonly log: Log;
  readonly position: Position;
  /** What others appended to the old log meanwhile; the new log holds it too. */
  readonly carried: readonly WorkLine[];
  readonly seal: Seal;
}

interface Renewal {
  readonly disk: Disk;
  readonly folder: string;
  readonly keys: DayKeys;
  /** The log to be replaced, and up to where `operations` speaks for it. */
  readonly old: Log;
  readonly at: Position;
  readonly operations: Iterable<Operation>;
}

/**
 * Begins a new generation. The new log is whole and durable before the old one is sealed, the same way as any line
 * is appended; a seal that was displaced is tried again behind what displaced it.
 * @returns the new log, or the seal of another process that was first
 */
export async function renew(renewal: Renewal): Promise<Renewed | { overtakenBy: Seal }> {
  const { disk, folder, old } = renewal;
  const log = await Log.create(disk, folder, successorOf(old.name));
  try {
    const result = await replace(renewal, log);
    if ('overtakenBy' in result) await discard(renewal, log);
    return result;
  } catch (error) {
    await discard(renewal, log);
    throw error;
  }
}

async function replace(renewal: Renewal, log: Log): Promise<Renewed | { overtakenBy: Seal }> {
  const { disk, folder, old } = renewal;
  const carried: WorkLine[] = [];
  let position = await copy(renewal, log);
  for (let { at } = renewal; ;) {
    const news: WorkLine[] = [];
    at = await old.read(at, (line) => news.push(line));
    if (at.seal !== undefined) return { overtakenBy: at.seal };
    carried.push(...news);
    position = await appendWhole(log, position, news.map((line) => `"do":${JSON.stringify(line.do)}`));
    await log.sync();
    await disk.syncFolder(folder);
    const seal: Seal = { log: log.name, seq: position.seq };
    const { standing, failure } = await old.append(at, [`"seal":${JSON.stringify(seal)}`]);
    if (standing > 0) return { log, position, carried, seal };
    if (failure !== undefined) throw failure as Error;
  }
}

async function copy({ operations, keys }: Renewal, log: Log): Promise<Position> {
  let position = await log.read(START, () => undefined);
  let bodies: string[] = [];
  let size = 0;
  for (const operation of operations) {
    const body = await encodeOperations([operation], keys);
    bodies.push(body);
    size += body.length;
    if (size < WRITE_BYTES) continue;
    position = await appendWhole(log, position, bodies);
    bodies = [];
    size = 0;
  }
  return appendWhole(log, position, bodies);
}

async function appendWhole(log: Log, at: Position, bodies: readonly string[]): Promise<Position> {
  if (bodies.length === 0) return at;
  const { standing, position, failure } = await log.append(at, bodies);
  if (standing < bodies.length) throw failure as Error;
  return position;
}

async function discard({ disk, folder }: Renewal, log: Log): Promise<void> {
  await log.close();
  await removeFile(disk, join(folder, log.name));
}
