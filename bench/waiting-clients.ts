import type { BenchContext, BenchScript, RunningServer } from './bench-context.ts';

/**
 * A number of connections for which one process needs few file descriptors and is not slower than the server.
 */
const CLIENTS_PER_PROCESS = 2_500;

/** The next action of a process of waiting clients. */
export type WaitingMessage =
  /** Opens connections and sends the request on each. */
  | { readonly action: 'open'; readonly port: number; readonly count: number; readonly request: string }
  /** Returns the time of each client's response, in monotonic milliseconds. */
  | { readonly action: 'answered' }
  /** Sends the request on each connection again. */
  | { readonly action: 'again' };

/** Clients in separate processes, each with one connection and one waiting call. */
export class WaitingClients {
  readonly #processes: readonly BenchScript[];

  private constructor(processes: readonly BenchScript[]) {
    this.#processes = processes;
  }

  /** @param request the bytes of an HTTP request */
  static async open(
    context: BenchContext,
    { url }: RunningServer,
    count: number,
    request: string,
  ): Promise<WaitingClients> {
    const port = Number(new URL(url).port);
    const processes: BenchScript[] = [];
    for (let rest = count; rest > 0; rest -= CLIENTS_PER_PROCESS) {
      const process = context.startScript('children/waiting.ts');
      processes.push(process);
      await process.request({
        action: 'open',
        port,
        count: Math.min(rest, CLIENTS_PER_PROCESS),
        request,
      } satisfies WaitingMessage);
    }
    return new WaitingClients(processes);
  }

  /**
   * Settles once every client has its response.
   * @returns the times of the responses, in monotonic milliseconds
   */
  async answered(): Promise<number[]> {
    return this.#all({ action: 'answered' });
  }

  async again(): Promise<void> {
    await this.#all({ action: 'again' });
  }

  close(): void {
    for (const { pid } of this.#processes) process.kill(pid, 'SIGKILL');
  }

  async #all(message: WaitingMessage): Promise<number[]> {
    return (await Promise.all(this.#processes.map(({ request }) => request(message)))).flat();
  }
}
