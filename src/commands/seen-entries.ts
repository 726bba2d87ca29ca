import type { ExportEntry } from './batch-importer.ts';

/** The timestamps of the records of the store and of the lines read so far. */
export class SeenEntries {
  readonly #idsByStamp = new Map<string, string>();

  add(entry: ExportEntry): void {
    if (!('action' in entry))
      this.#idsByStamp.set(`${entry.kind} ${entry.record.createdAt}`, entry.record.id);
  }

  hasStampOfAnother(entry: ExportEntry): boolean {
    if ('action' in entry) return false;
    const owner = this.#idsByStamp.get(`${entry.kind} ${entry.record.createdAt}`);
    return owner !== undefined && owner !== entry.record.id;
  }
}
