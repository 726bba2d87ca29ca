import { secondsSince } from '../time.ts';
import type { Instances, Timings } from './instances.ts';
import type { Ledger } from './ledger.ts';

/** Longer than a server is stopped, with the delays that it causes. */
const TIMEOUT_MS = 40_000;

export interface World {
  readonly ledger: Ledger;
  readonly instances: Instances;
  readonly timings: Timings;
  readonly ending: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** When the call began. */
  readonly since: number;
}

type Arguments = Readonly<Record<string, unknown>>;

export interface Outcome<Output> {
  /** Undefined if the call failed. */
  readonly output: Output | undefined;
  readonly code: string | undefined;
  readonly since: number;
}

/** One network that calls either server. */
export class Client {
  readonly #world: World;
  readonly #address: string;

  /** @param number gives it a network, a /48, of its own */
  constructor(world: World, number: number) {
    this.#world = world;
    this.#address = `2001:db8:${(number + 16).toString(16)}::1`;
  }

  /**
   * Sends a request. A read shows nothing that was removed before.
   * @param wanted the number of a server; while that is down, the other one is asked
   * @param waitSeconds for which the server may wait
   * @returns undefined without an answer
   */
  async send(
    name: string,
    wanted: number,
    path: string,
    { body, headers = {}, waitSeconds = 0 }: SendOptions = {},
  ): Promise<Answer | undefined> {
    const { ledger, instances, timings } = this.#world;
    const instance = instances.choose(wanted);
    const since = performance.now();
    try {
      const response = await fetch(`${instance.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'X-Forwarded-For': this.#address,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS + waitSeconds * 1000),
      });
      const answer = { status: response.status, text: await response.text(), since };
      const seconds = Math.max(0, secondsSince(since) - waitSeconds);
      timings.add(name, seconds, instance.disturbedAt >= since || instance.isDown);
      if (answer.status === 500)
        ledger.violation('an answer is a 500', `${name} ${answer.text.slice(0, 500)}`);
      if (answer.status < 500) ledger.inspect(answer.text, since, name);
      return answer;
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError')
        ledger.violation(`a call had no answer within ${TIMEOUT_MS / 1000} s`, name);
      return undefined;
    }
  }

  /** @returns undefined without an answer */
  async rest<Output>(
    name: string,
    wanted: number,
    path: string,
    options: SendOptions = {},
  ): Promise<Outcome<Output> | undefined> {
    const answer = await this.send(name, wanted, path, options);
    const json = answer && parse<Output & { readonly code?: string }>(answer.text);
    if (answer === undefined || json === undefined) return undefined;
    const isOutput = answer.status < 300;
    return {
      output: isOutput ? json : undefined,
      code: isOutput ? undefined : (json.code ?? String(answer.status)),
      since: answer.since,
    };
  }

  /** @returns undefined without an answer */
  async callTool<Output>(
    tool: string,
    wanted: number,
    args: Arguments,
    waitSeconds = 0,
  ): Promise<Outcome<Output> | undefined> {
    const answer = await this.send(`${tool} over MCP`, wanted, '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
      headers: { Accept: 'application/json, text/event-stream' },
      waitSeconds,
    });
    const json = answer && parse<McpAnswer<Output>>(answer.text);
    if (answer === undefined || json === undefined) return undefined;
    const { result, error } = json;
    const { since } = answer;
    if (result === undefined) return { output: undefined, code: error?.data?.code ?? 'no result', since };
    if (result.isError !== true) return { output: result.structuredContent, code: undefined, since };
    const { code } = parse<{ code: string }>(result.content[0]?.text ?? '') ?? { code: 'no code' };
    return { output: undefined, code, since };
  }
}

interface SendOptions {
  readonly body?: Arguments;
  readonly headers?: Readonly<Record<string, string>>;
  readonly waitSeconds?: number;
}

interface McpAnswer<Output> {
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent: Output;
    readonly content: readonly { readonly text: string }[];
  };
  readonly error?: { readonly data?: { readonly code?: string } };
}

/** @returns undefined for what is no JSON, as of an answer that was cut off */
function parse<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
