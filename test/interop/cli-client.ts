import { join } from 'node:path';
import { eachEndpoint, type ClientContext, type InteropClient, type Row, type WaitRun } from './client.ts';
import type { CommandResult } from './commands.ts';
import { InteropService, type Endpoint, type Target } from './service.ts';
import { waitRun, type WaitReport } from './waits.ts';

const WAIT_SECONDS = 25;

/** A program that lists and calls tools from the command line. */
interface CommandLineClient {
  readonly name: string;
  readonly package: string;
  readonly bin: string;
  /** Shown after the name of the package, one run for each. */
  readonly modes: readonly string[];
  /** @returns the arguments that list the tools */
  readonly list: (target: Target, mode: string) => readonly string[];
  readonly call: (target: Target, mode: string, tool: string, args: object) => readonly string[];
  /** @param output what `list` printed */
  readonly namesIn: (output: string) => readonly string[];
}

const problemOf = ({ code, stderr }: CommandResult): string => (code === 0 ? '' : stderr.trim().slice(-200));

export function cliClient(client: CommandLineClient): InteropClient {
  const titleIn = (mode: string): string => [client.package, mode].filter(Boolean).join(' ');

  const run = async ({ folder, commands }: ClientContext, args: readonly string[], seconds?: number) =>
    commands.runClient(join(folder, 'node_modules/.bin', client.bin), args, {
      folder,
      ...(seconds !== undefined && { seconds }),
    });

  async function rowOf(context: ClientContext, mode: string, endpoint: Endpoint): Promise<Row> {
    const listed = await run(context, client.list(endpoint.target, mode));
    const called = await run(context, client.call(endpoint.target, mode, 'read_feed', {}));
    const revision = await endpoint.revision();
    const names = listed.code === 0 ? client.namesIn(listed.stdout) : [];
    return {
      client: titleIn(mode),
      version: context.version,
      transport: endpoint.transport,
      revision,
      connect: revision === '-' ? 'FAILED' : 'passed',
      list: context.service.areTools(names) ? 'passed' : 'FAILED',
      call: called.code === 0 && InteropService.isFeed(called.stdout) ? 'passed' : 'FAILED',
      remark: [listed, called].map(problemOf).filter(Boolean).join('; '),
    };
  }

  /** The time includes the start of the program, which does not show notices of progress. */
  async function waitOnce(
    context: ClientContext,
    mode: string,
    { target }: Endpoint,
    timeout: number,
  ): Promise<WaitReport> {
    const start = performance.now();
    const args = client.call(target, mode, 'wait_for_messages', { waitSeconds: WAIT_SECONDS });
    const result = await run(context, args, timeout);
    const seconds = (performance.now() - start) / 1000;
    return result.code === 0 ? { response: result.stdout, seconds } : { seconds, error: problemOf(result) };
  }

  return {
    name: client.name,
    packages: [`${client.package}@latest`],
    run: (context) => eachEndpoint(context, (endpoint, mode) => rowOf(context, mode, endpoint), client),
    waits: (context) =>
      eachEndpoint(
        context,
        (endpoint, mode): WaitRun =>
          waitRun(titleIn(mode), context, endpoint, WAIT_SECONDS, (timeout) =>
            waitOnce(context, mode, endpoint, timeout),
          ),
        client,
      ),
  };
}
