import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCHER, post } from '../support/product.ts';
import type { Sandbox } from '../torture/support/sandbox.ts';
import { relayTo } from './recording-proxy.ts';

const TAP = fileURLToPath(new URL('./tap.mjs', import.meta.url));
const TOOLS = readdirSync(new URL('../../tools', import.meta.url))
  .map((file) => file.replace('.ts', ''))
  .filter((name) => name !== 'load')
  .toSorted();
const GREETING = 'Whoever reads this was served.';

export type Target =
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[] };

/** Where one client enters, once: what passes there is heard. */
export interface Door {
  readonly transport: 'HTTP' | 'stdio';
  readonly target: Target;
  /** @returns the protocol version agreed on, which is the last one that was named */
  readonly era: () => Promise<string>;
}

const ERA = /"(?:io\.modelcontextprotocol\/)?protocolVersion":\s*"(\d{4}-\d\d-\d\d)"/g;
const eraIn = (heard: string): string => [...heard.matchAll(ERA)].at(-1)?.[1] ?? '-';

/** The product, with one message in its feed, as both transports show it. */
export class House {
  readonly #place: Sandbox;
  readonly #data: string;
  readonly url: string;

  private constructor(place: Sandbox, data: string, url: string) {
    this.#place = place;
    this.#data = data;
    this.url = url;
  }

  static async open(place: Sandbox): Promise<House> {
    const data = await place.createFolder();
    const { url } = await place.serve({ DATA_DIR: data });
    const { status } = await post(url, GREETING);
    if (status !== 201) throw new Error(`the greeting was answered with ${status}`);
    return new House(place, data, url);
  }

  async http(): Promise<Door> {
    const { port, heard, close } = await relayTo(Number(new URL(this.url).port));
    this.#place.defer(close);
    return {
      transport: 'HTTP',
      target: { url: `http://127.0.0.1:${port}/mcp` },
      era: async () => eraIn(heard()),
    };
  }

  async stdio(): Promise<Door> {
    const file = join(await this.#place.createFolder(), randomUUID());
    const args = [TAP, file, process.execPath, LAUNCHER, 'stdio', '--data-dir', this.#data];
    const heard = (): Promise<string> => readFile(file, 'utf8').catch(() => '');
    return {
      transport: 'stdio',
      target: { command: process.execPath, args },
      era: async () => eraIn(await heard()),
    };
  }

  async doors(): Promise<readonly Door[]> {
    return [await this.http(), await this.stdio()];
  }

  /** Whether these are all the tools there are, and no others. */
  static areTools(names: readonly string[]): boolean {
    return names.toSorted().join() === TOOLS.join();
  }

  /** Whether this is what read_feed answers. */
  static isFeed(answer: string): boolean {
    return answer.includes(GREETING);
  }
}
