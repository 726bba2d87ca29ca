import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { serveStdio, type StdioSdks } from '#mcp/transport/stdio.ts';
import { createStdioSdks } from '#server/mcp-sdks.ts';
import { openTestWorkspace, type TestWorkspaceOptions } from '../context.ts';
import { temporaryFolder } from '../folder.ts';
import { waitUntil } from '../wait-until.ts';
import { handlersOf } from './handlers.ts';

/** A message that the server has written. */
export interface StdioLine {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
  readonly result?: any;
}

interface Given {
  readonly options?: Partial<TestWorkspaceOptions>;
  readonly report?: Parameters<typeof handlersOf>[1];
  /** @returns the SDKs in place of those given */
  readonly change?: (sdks: StdioSdks) => StdioSdks;
}

/** Serves MCP on streams of this process, over a workspace of its own. */
export async function serveOnStreams(
  t: TestContext,
  { options, report, change = (sdks) => sdks }: Given = {},
) {
  const world = await openTestWorkspace({ folder: await temporaryFolder(t), ...options });
  const { workspace, store } = world;
  const handlers = handlersOf(world, report);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: StdioLine[] = [];
  createInterface({ input: output }).on('line', (line) => lines.push(JSON.parse(line)));
  const sdks = change(createStdioSdks(handlers));
  const { ended, close } = serveStdio(handlers, sdks, () => undefined, input, output);
  t.after(async () => {
    input.end();
    workspace.waiters.stop();
    await close();
    await store.close();
  });
  return {
    ...world,
    input,
    output,
    ended,
    close,
    lines,
    send: (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    untilLine: (isWanted: (line: StdioLine) => boolean) => waitUntil(() => lines.some(isWanted)),
    untilLines: (count: number) => waitUntil(() => lines.length >= count),
  };
}
