import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { JsonLinesTransport } from '#mcp/transport/json-lines.ts';
import { INVALID_MESSAGE, type Message } from '#mcp/protocol/json-rpc.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

function connect() {
  const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
  const messages: Message[] = [];
  const rejected: string[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const lines = new JsonLinesTransport(input, output, {
    message: (message) => messages.push(message),
    rejected: (why) => rejected.push(why),
    end,
  });
  /** Writes the chunks and ends the input. @returns once every line has been read */
  const receive = async (...chunks: (string | Buffer)[]): Promise<void> => {
    for (const chunk of chunks) input.write(chunk);
    input.end();
    await ended;
  };
  return { input, output, lines, messages, rejected, receive };
}

test('a line is one message, in any chunks and with LF or CRLF', async () => {
  const { messages, receive, rejected } = connect();
  const bytes = Buffer.from(
    `${JSON.stringify({ ...PING, params: { text: '🏮 ü' } })}\r\n\n${JSON.stringify(PING)}\n`,
  );
  await receive(...Array.from(bytes, (byte) => Buffer.from([byte])));
  assert.deepEqual(messages, [{ ...PING, params: { text: '🏮 ü' } }, PING]);
  assert.deepEqual(rejected, []);
});

test('a byte order mark before a line is ignored', async () => {
  const { messages, receive, rejected } = connect();
  await receive(Buffer.from([0xef]), Buffer.from([0xbb, 0xbf]), `${JSON.stringify(PING)}\n`);
  assert.deepEqual([messages, rejected], [[PING], []]);
});

test('many lines at once leave time for other work, and the end of the input comes after them', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const done: string[] = [];
  await new Promise<void>((resolve) => {
    new JsonLinesTransport(input, output, {
      message: () => {
        if (done.length === 0) setImmediate(() => done.push('other work'));
        for (const end = performance.now() + 4; performance.now() < end; );
        done.push('a line');
      },
      rejected: () => undefined,
      end: () => {
        done.push('the end');
        resolve();
      },
    });
    input.end(`${JSON.stringify(PING)}\n`.repeat(8));
  });
  assert.equal(done.filter((what) => what === 'a line').length, 8);
  assert.equal(done.at(-1), 'the end');
  assert.ok(done.slice(0, done.lastIndexOf('a line')).includes('other work'), done.join(', '));
});

const NOT_JSON: Record<string, string | Buffer> = {
  'invalid JSON': 'hello',
  'half a message': JSON.stringify(PING).slice(0, 20),
  'Latin-1': Buffer.from(JSON.stringify({ ...PING, params: { text: 'café' } }), 'latin1'),
  'half a character': Buffer.from('{"jsonrpc":"2.0","id":1,"method":"🏮"}').subarray(0, 36),
};

/** @param error what is sent, nothing without it */
function testBadLine(
  what: string,
  line: string | Buffer,
  report: string,
  id?: unknown,
  error?: object,
): void {
  const outcome = error === undefined ? 'is ignored' : `gets an error with the id ${JSON.stringify(id)}`;
  test(`a line with ${what} ${outcome}, and is reported without its content`, async () => {
    const { messages, output, rejected, receive } = connect();
    await receive(line, `\n${JSON.stringify(PING)}\n`);
    assert.deepEqual([messages, rejected], [[PING], [report]]);
    const sent = output.read() as string | null;
    if (error === undefined) assert.equal(sent, null);
    else assert.deepEqual(JSON.parse(sent!), { jsonrpc: '2.0', id, error });
  });
}

const INVALID = { code: -32600, message: INVALID_MESSAGE };
const NOT_PARSED = {
  code: -32700,
  message: 'This line is not JSON in UTF-8; send one JSON-RPC message per line.',
};
const REFUSED = 'refused a line that is not a JSON-RPC message';

for (const [what, line] of Object.entries(NOT_JSON))
  testBadLine(what, line, 'refused a line that is not JSON in UTF-8', null, NOT_PARSED);

const IGNORED_LINES: Record<string, string> = {
  'a batch': JSON.stringify([PING, PING]),
  'a number': '5',
  null: 'null',
  'no method and no result': JSON.stringify({ jsonrpc: '2.0', id: 1 }),
  'a result that is a list': JSON.stringify({ jsonrpc: '2.0', id: 1, result: [] }),
  'a notification whose params are a list': JSON.stringify({ jsonrpc: '2.0', method: 'x', params: [1] }),
};

for (const [what, line] of Object.entries(IGNORED_LINES))
  testBadLine(what, line, 'ignored a line that is not a JSON-RPC message');

const REFUSED_REQUESTS: Record<string, object> = {
  'another version': { ...PING, jsonrpc: '1.0' },
  'no version': { id: PING.id, method: PING.method },
  'a method that is a number': { ...PING, method: 5 },
  'params that are null': { ...PING, params: null },
  'params that are a list': { ...PING, params: [1] },
  'a _meta that is null': { ...PING, params: { _meta: null } },
  'a progress token that is an object': { ...PING, params: { _meta: { progressToken: {} } } },
  'an unknown member': { ...PING, extra: true },
};

for (const [what, request] of Object.entries(REFUSED_REQUESTS))
  for (const id of [1, 'one']) testBadLine(what, JSON.stringify({ ...request, id }), REFUSED, id, INVALID);

for (const id of [null, 1.5, {}, [1], true])
  testBadLine(`the id ${JSON.stringify(id)}`, JSON.stringify({ ...PING, id }), REFUSED, null, INVALID);

test('a line of 11 MB is ignored, and the next line is a message', async () => {
  const { messages, rejected, receive } = connect();
  const megabyte = 'x'.repeat(1024 * 1024);
  await receive(...new Array<string>(11).fill(megabyte), `${megabyte}\n${JSON.stringify(PING)}\n`);
  assert.deepEqual(rejected, ['ignored a line that is too long']);
  assert.deepEqual(messages, [PING]);
});

test('each sent message is one line, and the end of the input calls the listener', async () => {
  const { output, lines, receive } = connect();
  const sent = [
    { jsonrpc: '2.0', id: 1, result: { text: 'a\nb' } },
    { jsonrpc: '2.0', method: 'notifications/x' },
  ] as const;
  for (const message of sent) lines.send(message);
  const [first = '', second = '', rest] = String(output.read()).split('\n');
  assert.deepEqual([JSON.parse(first), JSON.parse(second), rest], [...sent, '']);
  const text = JSON.stringify({ text: 'a\u0085b\u2028c\u2029d' });
  for (const before of [text, Buffer.from(text)]) lines.sendParts(before, '');
  lines.send({ jsonrpc: '2.0', id: 1, result: JSON.parse(text) as { text: string } });
  const written = String(output.read());
  assert.equal(written.split('a\\u0085b\\u2028c\\u2029d').length, 4);
  await receive();
});
