import type { Denial, PrivateStore } from '#private/private-store.ts';
import { toBits } from '#store/port/network.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

/** The age at which denials are read again, so that a new one takes effect everywhere within a second. */
const MAX_AGE_MS = 500;

interface DenialsOptions {
  readonly privateStore: Pick<PrivateStore, 'denials' | 'tagsOf'>;
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Refuses writes from denied networks. Only a write reads the denials, so an idle server reads nothing. */
export class Denials {
  readonly #options: DenialsOptions;
  #denials: readonly Denial[] = [];
  /** When the last denial of each prefix of bits, or tag, ends: a map for each length of client bits. */
  readonly #ends = new Map<number, ReadonlyMap<string, number>>();
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(options: DenialsOptions) {
    this.#options = options;
  }

  /**
   * Reads the denials again if they are older than half a second. If that fails, the earlier ones stay in
   * effect.
   * @returns undefined if the denials are recent
   */
  refresh(): Promise<void> | undefined {
    const age = this.#options.now() - this.#readAt;
    // Negative if the clock was set back.
    if (age >= 0 && age < MAX_AGE_MS) return undefined;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  /** @throws WorkspaceError denied_network, which does not tell when or why the network was denied */
  check({ clientKey }: Caller): void {
    // All agents on this machine share this key, and all clients of a proxy that is not trusted.
    if (clientKey === LOOPBACK_CLIENT || !this.#isDenied(clientKey)) return;
    throw new WorkspaceError(
      'denied_network',
      'The operator currently refuses writes from your network; reads still work. Nothing was stored.',
    );
  }

  /** Takes the same time for any number of denials. */
  #isDenied(clientKey: string): boolean {
    if (this.#denials.length === 0) return false;
    const now = this.#options.now();
    const bits = toBits(clientKey);
    const prefixes = this.#options.privateStore.tagsOf?.(clientKey) ?? [];
    for (let length = 1; length <= bits.length; length++) prefixes.push(bits.slice(0, length));
    const ends = this.#endsFor(bits.length);
    return prefixes.some((prefix) => (ends.get(prefix) ?? 0) > now);
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
      // If the whole store fails, the write itself will fail.
    }
    this.#readAt = startedAt;
  }
}
