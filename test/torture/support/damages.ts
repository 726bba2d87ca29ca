import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logOf } from './files.ts';

/** The files of a cleanly stopped store. */
export class StoreFiles {
  readonly folder: string;
  readonly keys: string;
  readonly log: string;
  readonly bytes: Buffer;
  /** The pieces that a line begins, including the line feeds and the `#` of the write behind it. */
  readonly lines: readonly Buffer[];

  constructor(folder: string) {
    this.folder = folder;
    this.keys = join(folder, 'keys');
    this.log = logOf(folder);
    this.bytes = readFileSync(this.log);
    this.lines = piecesOf(this.bytes, /(?<=\n)(?=\{)/);
  }

  get key(): string {
    return join(this.keys, new Date().toISOString().slice(0, 10));
  }

  /** Byte offset of a line in the middle. */
  get middle(): number {
    return this.start(this.lines.length >> 1);
  }

  start(index: number): number {
    return Buffer.concat(this.lines.slice(0, index)).length;
  }

  /** Writes the log with changed lines. @param change receives a copy of the lines */
  rewrite(change: (lines: Buffer[]) => void): void {
    const lines = [...this.lines];
    change(lines);
    writeFileSync(this.log, Buffer.concat(lines));
  }

  /** Writes the log with changed bytes. @param change receives a copy of the bytes */
  patch(change: (bytes: Buffer) => void): void {
    const bytes = Buffer.from(this.bytes);
    change(bytes);
    writeFileSync(this.log, bytes);
  }
}

/** @returns the bytes in pieces, cut where the expression matches */
export function piecesOf(bytes: Buffer, cut: RegExp): Buffer[] {
  return bytes
    .toString('latin1')
    .split(cut)
    .map((piece) => Buffer.from(piece, 'latin1'));
}

const GARBAGE = Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7919 + (n >> 3)) % 256));

const flip = (bytes: Buffer, at: number): void => {
  bytes[at]! ^= 4;
};

/** Kinds of damage by description. A line of the log that stays complete counts as undamaged. */
export const DAMAGES: Readonly<Record<string, (files: StoreFiles) => void>> = {
  'half a log': ({ log, bytes }) => {
    truncateSync(log, bytes.length >> 1);
  },
  'half a last line': ({ log, bytes }) => {
    truncateSync(log, bytes.length - 20);
  },
  'half a first line': ({ log }) => {
    truncateSync(log, 20);
  },
  'an empty log': ({ log }) => {
    writeFileSync(log, '');
  },
  'a log that is null': ({ log }) => {
    writeFileSync(log, 'null\n');
  },
  'a log of other JSON': ({ log }) => {
    writeFileSync(log, '{"posts":[],"users":[]}\n');
  },
  'a log of garbage': ({ log }) => {
    writeFileSync(log, GARBAGE);
  },
  'a log of NULs': ({ log, bytes }) => {
    writeFileSync(log, Buffer.alloc(bytes.length));
  },
  'NULs in the middle': (files) => {
    files.patch((bytes) => bytes.fill(0, files.middle - 30, files.middle + 200));
  },
  'NULs at the end': ({ log, bytes }) => {
    writeFileSync(log, Buffer.concat([bytes, Buffer.alloc(4096)]));
  },
  'garbage in the middle': (files) => {
    files.patch((bytes) => GARBAGE.copy(bytes, files.middle, 0, 500));
  },
  'garbage at the end': ({ log, bytes }) => {
    writeFileSync(log, Buffer.concat([bytes, GARBAGE, Buffer.from('\n')]));
  },
  'a flipped bit in the middle': (files) => {
    files.patch((bytes) => {
      flip(bytes, files.middle + 90);
    });
  },
  'a flipped bit in the first post': (files) => {
    files.patch((bytes) => {
      flip(bytes, files.start(1) + 90);
    });
  },
  'a flipped bit in the last line': (files) => {
    files.patch((bytes) => {
      flip(bytes, bytes.length - 40);
    });
  },
  'a line feed lost': (files) => {
    files.patch((bytes) => {
      flip(bytes, files.middle - 1);
    });
  },
  'lines removed': (files) => {
    files.rewrite((lines) => lines.splice(lines.length >> 1, 3));
  },
  'the first line removed': (files) => {
    files.rewrite((lines) => lines.splice(0, 1));
  },
  'all but the first line removed': (files) => {
    files.rewrite((lines) => lines.splice(1));
  },
  'lines swapped': (files) => {
    files.rewrite((lines) => lines.splice(5, 2, lines[6]!, lines[5]!));
  },
  'a line twice in the middle': (files) => {
    files.rewrite((lines) => lines.splice(5, 0, lines[5]!));
  },
  'the last line twice': (files) => {
    files.rewrite((lines) => lines.push(lines.at(-1)!));
  },
  'CRLF line ends': (files) => {
    files.rewrite((lines) => {
      lines.forEach((line, n) => {
        lines[n] = Buffer.from(line.toString().replace('\n', '\r\n'));
      });
    });
  },
  'the log missing': ({ log }) => {
    rmSync(log);
  },
  'the log renamed': ({ log, folder }) => {
    renameSync(log, join(folder, 'log-000009.jsonl'));
  },
  'a folder in place of the log': ({ log }) => {
    rmSync(log);
    mkdirSync(log);
  },
  'a log of the second edition beside it': ({ folder }) => {
    writeFileSync(join(folder, 'log-000003.jsonl'), GARBAGE);
  },
  'the keys missing': ({ keys }) => {
    rmSync(keys, { recursive: true });
  },
  'an empty key': ({ key }) => {
    writeFileSync(key, '');
  },
  'a key of garbage': ({ key }) => {
    writeFileSync(key, GARBAGE);
  },
  'a key of the right length that is another': ({ key }) => {
    writeFileSync(key, GARBAGE.subarray(0, 32));
  },
  'a file in place of the keys': ({ keys }) => {
    rmSync(keys, { recursive: true });
    writeFileSync(keys, 'x');
  },
};
