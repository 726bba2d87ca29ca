import type { AddOperation } from '#store/engine/operation.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import type { AnyRecord, Post } from '#store/port/records.ts';

/** An index over records in memory. */
export interface RecordList {
  readonly index: RecordIndex;
  /** Adds a post, in a line of its own. */
  readonly add: (post: Post) => void;
  /** How many records were read. */
  readonly reads: () => number;
  /** The texts of a record cannot be read from now on. */
  readonly lose: (id: string) => void;
  /** They can be read again. */
  readonly restore: (id: string) => void;
}

export function createRecordList(): RecordList {
  const records: AnyRecord[] = [];
  const lost = new Set<string>();
  let reads = 0;
  const index = new RecordIndex({
    read: (lines) => {
      reads += lines.length;
      return lines.map((line) => (lost.has(records[line]?.id ?? '') ? undefined : records[line]));
    },
  });
  return {
    index,
    add: (record) => {
      const line = records.push(record) - 1;
      index.apply({ action: 'add', kind: 'post', record } satisfies AddOperation, 0, line);
    },
    reads: () => reads,
    lose: (id) => {
      lost.add(id);
    },
    restore: (id) => {
      lost.delete(id);
    },
  };
}
