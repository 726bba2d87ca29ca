import type { Denial } from '#private/denial.ts';
import type { PrivateStore } from '#private/private-store.ts';
import { LOOPBACK_CLIENT, type Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';

/** A denial is in force in every process within a second. */
const MAX_AGE_MS = 500;

interface DenialsOptions {
  readonly privateStore: Pick<PrivateStore, 'denials'>;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Refuses the writes of denied networks. Only a write reads the denials, so an idle server reads nothing. */
export class Denials {
  readonly #options: DenialsOptions;
  #denials: readonly Denial[] = [];
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(options: DenialsOptions) {
    this.#options = options;
  }

  /**
   * Reads the denials again if they are older than half a second. If they cannot be read, those of before
   * stay in force.
   * @returns undefined if there is nothing to wait for
   */
  refresh(): Promise<void> | undefined {
    const age = this.#options.now() - this.#readAt;
    // Negative if the clock was set back.
    if (age >= 0 && age < MAX_AGE_MS) return undefined;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  /** @throws WorkspaceError denied_network, which tells neither since when nor why */
  check({ clientKey }: Caller): void {
    // Agents on this machine, or everybody behind a proxy that is not trusted.
    if (clientKey === LOOPBACK_CLIENT) return;
    const now = this.#options.now();
    if (!this.#denials.some(({ until, includes }) => until > now && includes(clientKey))) return;
    throw new WorkspaceError(
      'denied_network',
      'The operator refuses writes from your network for now; reads still work. Nothing was stored.',
    );
  }

  async #read(): Promise<void> {
    const startedAt = this.#options.now();
    try {
      this.#denials = await this.#options.privateStore.denials();
    } catch {
      // The write itself fails if the whole store does.
    }
    this.#readAt = startedAt;
  }
}
