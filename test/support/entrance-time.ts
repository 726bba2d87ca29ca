import { PassThrough } from 'node:stream';
import { serveStdio } from '#mcp/transport/stdio.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { handlersOf } from './mcp/handlers.ts';
import { META_2026 } from './mcp/listen-stream.ts';
import { MCP_ACCEPT, type TestApp } from './http/test-app.ts';

/** Beginnings that a pattern of the entrance looks for. */
export const LEADS = [
  ...['', 'a', 'plk a', 'plk-', 'ｐlk ', 'post_', 'http://', '"', 'https://a', 'eyJ', '%'],
] as const;

/** What fills a text: marks, joiners, tags, blanks, separators, and the lead-ins themselves. */
export const UNITS = [
  ...['\u0301', '\u0E31', '\u20DD', 'a\u0301', '\u200D', '\uFE0F', '\u{E0061}', '\u{1D165}', '\u2800'],
  ...['\u3164'],
  ...[' ', '\t', '\n', '\u3000', '-', '_', '- ', ',', '"', '%', '%20', '\\', '/', '.', '#', '0', 'a', 'a '],
  ...['plk', 'plk ', 'plk-', 'plk a\u0301', 'PLK0', 'post_', 'http://', 'eyJ', 'none', 'ａ', '\u{1F3F4}'],
  ...['漢'],
] as const;

/** @returns a text of so many bytes of UTF-8, which ends with a letter, so that a search for an end fails */
export function hostileText(lead: string, unit: string, bytes: number): string {
  const space = bytes - Buffer.byteLength(lead) - 1;
  return `${lead}${unit.repeat(Math.max(1, Math.floor(space / Buffer.byteLength(unit))))}x`;
}

type Args = Readonly<Record<string, unknown>>;

const headersOf2026 = (name: string) => ({
  'Mcp-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': name,
});

type Call = (tool: AnyTool, args: Args) => () => Promise<unknown>;

/** Every surface of the tools. A function prepares a call, so that only its sending is measured. */
export function createSurfaces(app: TestApp): Readonly<Record<string, Call>> {
  const { request } = app;
  const overMcp =
    (params: object, headers: (name: string) => Record<string, string>): Call =>
    ({ name }, args) => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, ...params },
      };
      const body = Buffer.from(JSON.stringify(message));
      const all = { 'Content-Type': 'application/json', ...MCP_ACCEPT, ...headers(name) };
      return () => request('POST /mcp', { body, headers: all });
    };
  const input = new PassThrough();
  const output = new PassThrough();
  const noSdk = async (): Promise<never> => {
    throw new Error('the call is usual');
  };
  serveStdio(
    handlersOf(app),
    { statelessVersion: noSdk, initializeHandshake: noSdk },
    () => undefined,
    input,
    output,
  );
  return {
    REST: (tool, args) => {
      const { method, path, parameters } = parseRoute(tool);
      const address = fillIn(path, (name) => encodeURIComponent(String(args[name]).slice(0, 2000)));
      const rest = Object.entries(args).filter(([name]) => !parameters.includes(name));
      if (method === 'POST') {
        const body = Buffer.from(JSON.stringify(Object.fromEntries(rest)));
        const headers = { 'Content-Type': 'application/json' };
        return () => request(`POST ${address}`, { body, headers });
      }
      const query = new URLSearchParams(
        rest.map(([name, value]): [string, string] => [name, String(value)]),
      ).toString();
      // Node refuses the head of a request above 16 KiB.
      const line = `GET ${address}?${query.slice(0, 15_000)}`;
      return () => request(line);
    },
    'MCP 2025': overMcp({}, () => ({})),
    'MCP 2026': overMcp({ _meta: META_2026 }, headersOf2026),
    stdio: ({ name }, args) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
      const line = Buffer.from(`${JSON.stringify(message)}\n`);
      return () =>
        new Promise((resolve) => {
          let text = '';
          const onData = (chunk: Buffer): void => {
            text += chunk.toString('latin1');
            if (!text.endsWith('\n')) return;
            output.off('data', onData);
            resolve(undefined);
          };
          output.on('data', onData);
          input.write(line);
        });
    },
  };
}

/** Places of a call in which a text may stand. @returns by their names the arguments of a call */
export function placesOf(tool: AnyTool, text: string): Readonly<Record<string, Args>> {
  const { example } = tool;
  const known = Object.keys(tool.input.shape).map((name) => [name, { ...example, [name]: text }] as const);
  const list = ['posts', 'except'].filter((name) => name in tool.input.shape);
  const pieces = text.match(/.{1,20}/gsu) ?? [];
  return Object.fromEntries([
    ...known,
    ...list.map((name) => [`a list of ${name}`, { ...example, [name]: pieces }] as const),
    ['an unknown argument', { ...example, unheard: text }],
    ['a list in an unknown argument', { ...example, unheard: pieces }],
    ['the name of an unknown argument', { ...example, [text]: 'x' }],
    [
      'names of unknown arguments',
      { ...example, ...Object.fromEntries(pieces.map((name, n) => [`${name}${n}`, 1])) },
    ],
  ]);
}

/** @returns the least processor time of some tries, in milliseconds. It ends with one that takes no more than `enough` */
export async function leastProcessorTime(
  send: () => Promise<unknown>,
  enough: number,
  tries: number,
): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < tries && least > enough; n++) {
    const before = process.cpuUsage();
    await send();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
