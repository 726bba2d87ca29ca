import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { loadTools } from '../../tools/load.ts';
import type { Plan } from './campaign.ts';
import { envelopes } from './mcp-requests.ts';
import { isOfProtocol } from './mcp-methods.ts';
import { saidInBody } from './error-checks.ts';
import { judgeReply, type Asked } from './rpc-checks.ts';
import { showBytes } from './format-request.ts';
import { Session, type Script } from './stdio-session.ts';

const MOST_LINES = 4;
const LINES_A_SCRIPT = 2;
/** For what is cut off to be over. */
const PAUSE_MS = 200;

const scripts = (tools: readonly AnyTool[]): fc.Arbitrary<Script> =>
  fc.record({
    bytes: fc
      .array(fc.tuple(envelopes(tools), fc.constantFrom('\n', '\n', '\r\n', '\n\n', '')), {
        minLength: 1,
        maxLength: MOST_LINES,
      })
      .map((lines) => Buffer.concat(lines.flatMap(([line, end]) => [line, Buffer.from(end)]))),
    cuts: fc.array(fc.nat(), { maxLength: 5 }),
  });

/** @returns the lines that are messages of JSON-RPC */
function messagesIn(bytes: Buffer): Asked[] {
  return bytes
    .toString()
    .split('\n')
    .flatMap((line) => {
      try {
        const read = JSONRPCMessageSchema.safeParse(JSON.parse(line.replace(/\r$/, '')));
        return read.success ? [read.data as Asked] : [];
      } catch {
        return [];
      }
    });
}

async function examine(session: Session, tools: readonly AnyTool[], script: Script): Promise<Asked[]> {
  const messages = messagesIn(script.bytes);
  // What is cancelled is not answered, and what listens is when it ends.
  const cancels = messages.some(
    ({ method }) => method === 'notifications/cancelled' || method === 'subscriptions/listen',
  );
  const requests = messages.filter((message) => 'method' in message && 'id' in message);
  // Who subscribed is told of what others write meanwhile.
  const answers = (await session.say(script, cancels ? [] : requests)).filter((one) => !('method' in one));
  const said = (): string[] => [
    ...saidInBody(script.bytes),
    ...messages.flatMap((message) => saidInBody(Buffer.from(JSON.stringify(message)))),
  ];
  for (const answer of answers) {
    const asked = requests.filter(({ id }) => id === answer['id']);
    assert.ok(asked.length > 0, `nobody asked for ${JSON.stringify(answer).slice(0, 300)}`);
    if (asked.length === 1) judgeReply(tools, answer as never, asked[0]!, said);
  }
  if (cancels) await session.pause(PAUSE_MS);
  else assert.equal(answers.length, requests.length, 'each request has one answer');
  return requests;
}

/** Lines of all kinds to the product over stdio. */
export async function fuzzStdio({ campaign, tally, seed, requests, deadlineMs }: Plan): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'porchlight-fuzz-'));
  const tools = await loadTools();
  let session = await Session.start(folder, deadlineMs);
  await campaign.check(
    { part: 'stdio', seed, runs: Math.ceil(requests / LINES_A_SCRIPT) },
    scripts(tools),
    async (script) => {
      try {
        for (const { method } of await examine(session, tools, script))
          tally.add('(stdio)', isOfProtocol(method) ? String(method) : 'other');
      } catch (error) {
        session.kill();
        session = await Session.start(folder, deadlineMs);
        throw error;
      }
    },
    ({ bytes, cuts }) => `${showBytes(bytes)} cut at ${cuts.join(', ')}`,
  );
  await campaign.conclude('stdio', seed, () => session.end());
  await rm(folder, { recursive: true });
}
