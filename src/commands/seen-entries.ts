import type { ExportEntry } from './batch-importer.ts';

/** The entries of the store and of the lines read so far. */
export class SeenEntries {
  readonly #idsByStamp = new Map<string, string>();
  readonly #ids = new Set<string>();
  /**
   * By id: the first line that hides or unhides an unknown record. A later line that erases the record
   * removes it.
   */
  readonly #unknown = new Map<string, number>();

  /** @param line its number; undefined for an entry of the store */
  add(entry: ExportEntry, line?: number): void {
    const id = 'action' in entry ? entry.id : entry.record.id;
    const isUnknown =
      line !== undefined && 'action' in entry && entry.action !== 'erase' && !this.#ids.has(id);
    if (isUnknown) {
      if (!this.#unknown.has(id)) this.#unknown.set(id, line);
      return;
    }
    this.#unknown.delete(id);
    this.#ids.add(id);
    if (!('action' in entry)) this.#idsByStamp.set(`${entry.kind} ${entry.record.createdAt}`, id);
  }

  hasStampOfAnother(entry: ExportEntry): boolean {
    if ('action' in entry) return false;
    const owner = this.#idsByStamp.get(`${entry.kind} ${entry.record.createdAt}`);
    return owner !== undefined && owner !== entry.record.id;
  }

  /** The first line that hides or unhides a record which neither exists nor was erased. */
  get moderatesNothing(): number | undefined {
    const [line] = this.#unknown.values();
    return line;
  }
}
