import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forwardTcp } from '../support/http/tcp-forward.ts';
import { LAUNCHER, post } from '../support/product.ts';
import type { Sandbox } from '../torture/support/sandbox.ts';
import { loadTools } from '../../tools/load.ts';
import { callsIn, revisionIn, type CallParams } from './recorded-messages.ts';

const TAP = fileURLToPath(new URL('./tap.mjs', import.meta.url));
const toFlag = (setting: string): string => `--${setting.toLowerCase().replaceAll('_', '-')}`;

const GREETING = 'A message that every client reads.';

export type Target =
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[] };

/** An address for one client, which records the messages of its connection. */
export interface Endpoint {
  readonly transport: 'HTTP' | 'stdio';
  readonly target: Target;
  /** @returns the negotiated protocol revision, which is the last one in the recorded messages */
  readonly revision: () => Promise<string>;
  /** @returns the calls of tools as they came over the wire, oldest first */
  readonly calls: () => Promise<readonly CallParams[]>;
}

interface ServiceOptions {
  /** Whether clients connect to the endpoint with the core tools. */
  readonly core?: boolean;
}

/** The product with one message in its feed, over both transports. */
export class InteropService {
  readonly #sandbox: Sandbox;
  /** Path of the MCP endpoint. */
  readonly #path: string;
  /** Of the service over stdio. */
  readonly #flags: readonly string[];
  readonly url: string;
  /** Names of the tools that clients see. */
  readonly tools: readonly string[];

  private constructor(
    sandbox: Sandbox,
    {
      path,
      flags,
      url,
      tools,
    }: { path: string; flags: readonly string[]; url: string; tools: readonly string[] },
  ) {
    this.#sandbox = sandbox;
    this.#path = path;
    this.#flags = flags;
    this.url = url;
    this.tools = tools;
  }

  static async open(sandbox: Sandbox, { core = false }: ServiceOptions = {}): Promise<InteropService> {
    const dataDir = await sandbox.createFolder();
    const limits = { FEED_POSTS_PER_HOUR: '0', WAITS_PER_NETWORK: '50' };
    const { url } = await sandbox.serve({ DATA_DIR: dataDir, ...limits });
    const { status } = await post(url, GREETING);
    if (status !== 201) throw new Error(`posting the greeting got ${status}`);
    const flags = Object.entries(limits).flatMap(([name, value]) => [toFlag(name), value]);
    const offered = (await loadTools()).filter((tool) => !core || tool.core === true);
    return new InteropService(sandbox, {
      path: core ? '/mcp/core' : '/mcp',
      flags: [...(core ? ['--tools', 'core'] : []), '--data-dir', dataDir, ...flags],
      url,
      tools: offered.map(({ name }) => name),
    });
  }

  async httpEndpoint(): Promise<Endpoint> {
    let recorded = '';
    const url = await forwardTcp(this.#sandbox, {
      next: () => this.url,
      onData: (bytes) => {
        recorded += bytes.toString();
      },
    });
    return {
      transport: 'HTTP',
      target: { url: url + this.#path },
      revision: async () => revisionIn(recorded),
      calls: async () => callsIn(recorded),
    };
  }

  async stdioEndpoint(): Promise<Endpoint> {
    const file = join(await this.#sandbox.createFolder(), randomUUID());
    const args = [TAP, file, process.execPath, LAUNCHER, 'stdio', ...this.#flags];
    const recorded = (): Promise<string> => readFile(file, 'utf8').catch(() => '');
    return {
      transport: 'stdio',
      target: { command: process.execPath, args },
      revision: async () => revisionIn(await recorded()),
      calls: async () => callsIn(await recorded()),
    };
  }

  async endpoints(): Promise<readonly Endpoint[]> {
    return [await this.httpEndpoint(), await this.stdioEndpoint()];
  }

  /** The messages of the newest posts. */
  async newestMessages(): Promise<readonly string[]> {
    const response = await fetch(`${this.url}/api/feed`);
    const { messages } = (await response.json()) as { messages: readonly { message: string }[] };
    return messages.map(({ message }) => message);
  }

  /** Whether these are exactly the tools that clients should see. */
  areTools(names: readonly string[]): boolean {
    return names.toSorted().join() === this.tools.toSorted().join();
  }

  /** Whether this is the result of read_feed. */
  static isFeed(response: string): boolean {
    return response.includes(GREETING);
  }
}
