import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { JsonLinesTransport } from '#mcp/transport/json-lines.ts';
import type { Message } from '#mcp/transport/json-rpc.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

function listen() {
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
  const heard: Message[] = [];
  const refused: string[] = [];
  let ends = 0;
  const lines = new JsonLinesTransport(input, output, {
    message: (message) => heard.push(message),
    rejected: (why) => refused.push(why),
    end: () => {
      ends += 1;
    },
  });
  const say = async (...chunks: (string | Buffer)[]): Promise<void> => {
    for (const chunk of chunks) input.write(chunk);
    await new Promise(setImmediate);
  };
  return { input, output, lines, heard, refused, say, ends: () => ends };
}

test('a line is a message, however it is cut, and with either line end', async () => {
  const { heard, say, refused } = listen();
  const bytes = Buffer.from(
    `${JSON.stringify({ ...PING, params: { text: '🏮 ü' } })}\r\n\n${JSON.stringify(PING)}\n`,
  );
  await say(...Array.from(bytes, (byte) => Buffer.from([byte])));
  assert.deepEqual(heard, [{ ...PING, params: { text: '🏮 ü' } }, PING]);
  assert.deepEqual(refused, []);
});

test('several lines in one piece are as many messages, and a line without its end is none yet', async () => {
  const { heard, say } = listen();
  const line = `${JSON.stringify(PING)}\n`;
  await say(line + line + line.trimEnd());
  assert.equal(heard.length, 2);
  await say('\n');
  assert.equal(heard.length, 3);
});

const NO_MESSAGES: Record<string, string> = {
  'no JSON': 'hello',
  'half a message': JSON.stringify(PING).slice(0, 20),
  'a batch': JSON.stringify([PING, PING]),
  'a number': '5',
  'another version': JSON.stringify({ ...PING, jsonrpc: '1.0' }),
  'an id that is null': JSON.stringify({ ...PING, id: null }),
  'an id that is broken': JSON.stringify({ ...PING, id: 1.5 }),
  'a method that is a number': JSON.stringify({ ...PING, method: 5 }),
  'params in a list': JSON.stringify({ ...PING, params: [1] }),
  'a property that nobody knows': JSON.stringify({ ...PING, extra: true }),
};

for (const [what, line] of Object.entries(NO_MESSAGES)) {
  test(`${what} is passed over, and told in words without it`, async () => {
    const { heard, refused, say } = listen();
    await say(`${line}\n${JSON.stringify(PING)}\n`);
    assert.deepEqual(heard, [PING]);
    assert.equal(refused.length, 1);
    assert.match(refused[0]!, /^a line is not (JSON|a message of JSON-RPC)$/);
  });
}

test('11 MB without a line end are dropped, and what follows is heard', async () => {
  const { heard, refused, say } = listen();
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 11; n++) await say(megabyte);
  await say(`${megabyte}\n${JSON.stringify(PING)}\n`);
  assert.deepEqual(refused, ['a line is too long']);
  assert.deepEqual(heard, [PING]);
});

test('what is sent is one line each, and the end of the input is told', async () => {
  const { input, output, lines, ends } = listen();
  const sent = [
    { jsonrpc: '2.0', id: 1, result: { text: 'a\nb' } },
    { jsonrpc: '2.0', method: 'notifications/x' },
  ] as const;
  for (const message of sent) lines.send(message);
  await new Promise(setImmediate);
  const [first = '', second = '', rest] = String(output.read()).split('\n');
  assert.deepEqual([JSON.parse(first), JSON.parse(second), rest], [...sent, '']);
  input.end();
  await new Promise(setImmediate);
  assert.ok(ends() > 0);
});
