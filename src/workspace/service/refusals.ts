import type { WorkspaceError } from './errors.ts';

/** Counts refused calls by the name of the limit that they reached, since the start of the process. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  count({ failure: { limit } }: WorkspaceError): void {
    if (limit !== undefined) this.#counts.set(limit, (this.#counts.get(limit) ?? 0) + 1);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
