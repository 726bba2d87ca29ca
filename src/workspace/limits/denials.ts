import type { Denial, PrivateStore } from '#private/private-store.ts';
import { toBits } from '#store/port/network.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

/** The age at which denials are read again: a new one is in force in every process within a second. */
const MAX_AGE_MS = 500;

interface DenialsOptions {
  readonly privateStore: Pick<PrivateStore, 'denials' | 'tagsOf'>;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Refuses the writes of denied networks. Only a write reads the denials, so an idle server reads nothing. */
export class Denials {
  readonly #options: DenialsOptions;
  #denials: readonly Denial[] = [];
  /** The time when the last denial of each mark ends; one map for each number of bits of a client address. */
  readonly #ends = new Map<number, ReadonlyMap<string, number>>();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(options: DenialsOptions) {
    this.#options = options;
  }

  /**
   * Reads the denials again if they are older than half a second. If they cannot be read, the earlier ones
   * stay in force.
   * @returns undefined if the denials are recent
   */
  refresh(): Promise<void> | undefined {
    const age = this.#options.now() - this.#readAt;
    // Negative if the clock was set back.
    if (age >= 0 && age < MAX_AGE_MS) return undefined;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  /** @throws WorkspaceError denied_network, which names no time and no reason */
  check({ clientKey }: Caller): void {
    // Agents on this machine share this key, or all clients of a proxy that is not trusted.
    if (clientKey === LOOPBACK_CLIENT || !this.#isDenied(clientKey)) return;
    throw new WorkspaceError(
      'denied_network',
      'The operator refuses writes from your network for now; reads still work. Nothing was stored.',
    );
  }

  /** Takes the same time for any number of denials. */
  #isDenied(clientKey: string): boolean {
    if (this.#denials.length === 0) return false;
    const now = this.#options.now();
    const bits = toBits(clientKey);
    const marks = this.#options.privateStore.tagsOf?.(clientKey) ?? [];
    for (let length = 1; length <= bits.length; length++) marks.push(bits.slice(0, length));
    const ends = this.#endsFor(bits.length);
    return marks.some((mark) => (ends.get(mark) ?? 0) > now);
  }

  #endsFor(length: number): ReadonlyMap<string, number> {
    const known = this.#ends.get(length);
    if (known !== undefined) return known;
    const ends = new Map<string, number>();
    // A range that is smaller than the network of a client denies all of it.
    for (const { denied = '', until } of this.#denials)
      for (const key of [denied, denied.slice(0, length)]) ends.set(key, Math.max(until, ends.get(key) ?? 0));
    this.#ends.set(length, ends);
    return ends;
  }

  async #read(): Promise<void> {
    const startedAt = this.#options.now();
    try {
      const denials = await this.#options.privateStore.denials();
      if (denials !== this.#denials) this.#ends.clear();
      this.#denials = denials;
    } catch {
      // The write itself fails if the whole store does.
    }
    this.#readAt = startedAt;
  }
}
