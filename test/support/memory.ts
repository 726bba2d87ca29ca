import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';

/** The memory and the open descriptors of a process after a collection. In bytes. */
interface Memory {
  readonly rss: number;
  /** JavaScript objects, and the buffers that belong to them. */
  readonly used: number;
  /** 0 where the system does not list them. */
  readonly descriptors: number;
}

export interface MemoryProbe {
  /** For the environment of the process that is watched. */
  readonly settings: Readonly<Record<string, string>>;
  /** Collects in that process first. */
  measure: () => Promise<Memory>;
}

const PRELOAD = new URL('memory-probe.mjs', import.meta.url).href;

/**
 * Creates a probe that measures the memory of one process, which a test starts with the settings of the
 * probe.
 */
export function memoryProbe(): MemoryProbe {
  const name = `porchlight-probe-${randomUUID()}`;
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
  return {
    settings: { NODE_OPTIONS: `--import=${PRELOAD}`, MEMORY_PROBE: path },
    measure: async () => JSON.parse(await text(connect(path))) as Memory,
  };
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;
