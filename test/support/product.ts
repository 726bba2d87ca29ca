import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { postJson } from './http/post-json.ts';

/** The program that tests start: the package that test/run.js has built, or the source. */
export const LAUNCHER =
  process.env['TEST_LAUNCHER'] ?? fileURLToPath(new URL('../../bin/porchlight.js', import.meta.url));

export interface Product {
  child: ChildProcess;
  url: string;
  /** What it wrote to standard error so far. */
  log: () => string;
  /** @returns exit code or signal */
  end: (signal: NodeJS.Signals) => Promise<number | NodeJS.Signals>;
}

const children = new Set<ChildProcess>();

/** A test that fails leaves its servers running, and they would keep the file from ending. */
function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}
// The slow suites use this file outside of the test runner, which sets the variable.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) after(killChildren);

type Settings = Readonly<Record<string, string>>;

/** The product as an operator starts it, from a folder that is not its own. */
export async function startProduct(
  settings: Settings,
  args: readonly string[] = ['serve'],
  launcher = LAUNCHER,
): Promise<Product> {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log += chunk;
  });
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data') as Promise<[string]>,
    // By the time of `exit` its last words may not have arrived.
    once(child, 'close').then(() => {
      throw new Error(`it did not start: ${log}`);
    }),
  ]);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    child,
    url: /http:\/\/\S+/.exec(line)![0],
    log: () => log,
    end: async (signal) => {
      child.kill(signal);
      const [code, killed] = await exited;
      return code ?? killed!;
    },
  };
}

export interface ProgramResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program to its end, from a folder that is not its own. The event loop of the test goes on
 * meanwhile: otherwise `fetch` misses that a server closes an idle connection, and sends its next request
 * there.
 */
export async function runProgram(args: readonly string[], settings: Settings = {}): Promise<ProgramResult> {
  return runToEnd(process.execPath, [LAUNCHER, ...args], settings);
}

async function runToEnd(
  file: string,
  args: readonly string[],
  settings: Settings = {},
): Promise<ProgramResult> {
  const child = spawn(file, args, {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
}

/** @returns what the program printed; the assertion fails if it exits with another code than 0 */
export async function runSuccessfully(args: readonly string[], settings: Settings): Promise<string> {
  const { status, stdout, stderr } = await runProgram(args, settings);
  assert.equal(status, 0, stderr);
  return stdout;
}

/**
 * Copies a store as docs/operations.md says: `porchlight export - | porchlight import -`, in a shell that reports
 * the exit code of the second command only.
 */
export async function pipeStore(from: Settings, to: Settings): Promise<ProgramResult> {
  const run = (settings: Settings, command: string): string => {
    const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    return ['env', ...variables, process.execPath, LAUNCHER].map((word) => `'${word}'`).join(' ') + command;
  };
  return runToEnd('sh', ['-c', `${run(from, ' export -')} | ${run(to, ' import -')}`]);
}

/** An agent that launched the product over stdio. */
export async function launchOverStdio(
  settings: Settings,
  flags: readonly string[] = [],
  launcher = LAUNCHER,
): Promise<{ client: Client }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'stdio', ...flags],
    cwd: tmpdir(),
    env: { ...settings },
  });
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(transport);
  return { client };
}

export const post = (url: string, message: string): Promise<Response> =>
  postJson(`${url}/api/feed`, { message });
