import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../random.ts';
import type { Client, Outcome, World } from './client.ts';

const WAIT_SECONDS = 5;
const RETRY_MS = 300;
const BEGINNING = '2000-01-01T00:00:00Z';

export interface News {
  readonly nextAfter: string;
  readonly afterWasAhead?: boolean;
  readonly more: boolean;
  readonly unknownPosts?: readonly string[];
  readonly messages?: readonly { readonly id: string; readonly createdAt: string }[];
}

/** Expects that a page has nothing at or before its cursor, in order. */
export function checkNews({ ledger }: World, cursor: string, { messages = [], ...page }: News): void {
  if (page.afterWasAhead === true && cursor !== BEGINNING)
    ledger.violation('a cursor of the place was called ahead', cursor);
  let last = cursor;
  for (const { id, createdAt } of messages) {
    if (createdAt <= cursor)
      ledger.violation('a page has a message at or before its cursor', `${cursor} ${id}`);
    else if (createdAt <= last) ledger.violation('a page has no strict order', id);
    last = createdAt;
  }
  if (page.nextAfter < last) ledger.violation('nextAfter is before its page', `${page.nextAfter} ${last}`);
}

/** Waits from the beginning with either server, and notes what it sees. */
export class Follower {
  readonly #world: World;
  readonly #client: Client;
  readonly #isOverMcp: boolean;
  readonly #seen = new Set<string>();
  #cursor = BEGINNING;

  constructor(world: World, client: Client, isOverMcp: boolean) {
    this.#world = world;
    this.#client = client;
    this.#isOverMcp = isOverMcp;
  }

  get seen(): ReadonlySet<string> {
    return this.#seen;
  }

  async follow(random: SeededRandom): Promise<void> {
    while (!this.#world.ending.aborted)
      if ((await this.#look(random.below(2), WAIT_SECONDS)) === undefined) await sleep(RETRY_MS);
  }

  /** Once nobody writes any more. @returns whether it has reached the end with either server */
  async catchUp(tries = 1000): Promise<boolean> {
    let ends = 0;
    for (let n = 0; n < tries && ends < 2; n++) {
      const page = await this.#look(ends, 0);
      if (page === undefined) await sleep(RETRY_MS);
      else if (page.messages?.length === 0 && !page.more) ends += 1;
    }
    return ends === 2;
  }

  async #look(server: number, waitSeconds: number): Promise<News | undefined> {
    const { ledger } = this.#world;
    const cursor = this.#cursor;
    const found = await this.#read(server, waitSeconds, cursor);
    if (found?.code !== undefined && !found.code.startsWith('storage') && found.code !== 'shutting_down')
      ledger.violation('a follower was refused', found.code);
    const page = found?.output;
    if (page === undefined) return undefined;
    checkNews(this.#world, cursor, page);
    for (const { id } of page.messages ?? []) {
      if (this.#seen.has(id)) ledger.violation('a follower saw a message twice', `${cursor} ${id}`);
      this.#seen.add(id);
    }
    this.#cursor = page.nextAfter;
    return page;
  }

  #read(server: number, waitSeconds: number, after: string): Promise<Outcome<News> | undefined> {
    const limit = 100;
    if (this.#isOverMcp)
      return this.#client.callTool('wait_for_messages', server, { after, waitSeconds, limit }, waitSeconds);
    const query = new URLSearchParams({ after, wait: String(waitSeconds), limit: String(limit) });
    return this.#client.rest('a wait', server, `/api/updates?${query}`, { waitSeconds });
  }
}
