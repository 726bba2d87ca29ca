import { join } from 'node:path';
import type { Operation } from '#store/engine/operation.ts';
import { encodeOperation } from './codec.ts';
import type { DayKeys } from '#store/jsonl/visitor-keys.ts';
import type { Disk } from '#store/jsonl/fs/disk.ts';
import { removeFile } from '#store/jsonl/fs/atomic-files.ts';
import { successorOf } from './current.ts';
import type { Seal } from './record.ts';
import { Log, type Position } from './log.ts';

/** A write is cut into pieces of about this size. */
const WRITE_BYTES = 1024 * 1024;

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
 * @returns the seal that counts; another process may have been first
 */
export async function renew(renewal: Renewal): Promise<Seal> {
  const { disk, folder, old } = renewal;
  const news: string[] = [];
  const look = (from: Position): Promise<Position> =>
    old.read(from, (line) => news.push(`"do":${JSON.stringify(line.do)}`));
  let at = await look(renewal.at);
  if (at.seal !== undefined) return at.seal;
  const log = await Log.create(disk, folder, successorOf(old.name));
  const seal: Seal = { log: log.name };
  let named = false;
  try {
    let position = await copy(renewal, log);
    while (at.seal === undefined) {
      position = await appendWhole(log, position, news.splice(0));
      await log.sync();
      await disk.syncFolder(folder);
      // Where the append throws, nobody knows whether the old log names the new one by now.
      named = true;
      const { standing, failure } = await old.append(at, [`"seal":${JSON.stringify(seal)}`]);
      named = standing > 0;
      if (named) return seal;
      if (failure !== undefined) throw failure as Error;
      at = await look(at);
    }
    return at.seal;
  } finally {
    await log.close();
    if (!named) await removeFile(disk, join(folder, log.name));
  }
}

async function copy({ operations, keys }: Renewal, log: Log): Promise<Position> {
  let position = await log.begin();
  let bodies: string[] = [];
  let size = 0;
  for (const operation of operations) {
    if ('visit' in operation && operation.visit !== undefined) await keys.prepare(operation.visit.at);
    const body = encodeOperation(operation, keys);
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
