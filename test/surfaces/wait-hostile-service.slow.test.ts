import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listen } from '../support/http/listen.ts';
import { runProgram } from '../support/product.ts';

const CURSOR = '2026-03-01T00:00:00.000001Z';
const JSON_TYPE = { 'Content-Type': 'application/json' };

type Answer = (response: ServerResponse, path: string) => void;

const outline = (fields: object): string =>
  JSON.stringify({ nextAfter: CURSOR, more: false, messages: [], ...fields });

const json =
  (text: string, status = 200): Answer =>
  (response) =>
    response.writeHead(status, JSON_TYPE).end(text);

/** Runs the command against a service that answers every request so. */
async function waitFor(t: TestContext, answer: Answer, ...flags: string[]) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    paths.push(request.url ?? '');
    answer(response, request.url ?? '');
  });
  const url = await listen(t, server);
  const startedAt = performance.now();
  const result = await runProgram(['wait', url, ...flags]);
  return { ...result, paths, seconds: (performance.now() - startedAt) / 1000 };
}

describe('porchlight wait ends with one sentence and exit code 1', { concurrency: true }, () => {
  const ANSWERS: [name: string, answer: Answer, stderr: RegExp][] = [
    ['ids that are objects', json(outline({ unknownPosts: [{ toString: 1 }] })), /^The response is not from/],
    [
      'an error text with escape sequences',
      json(JSON.stringify({ detail: `\u001b]0;x\u0007\u202e${'x'.repeat(100_000)}` }), 403),
      /^The service responded with status 403: "\\u001b\]0;x\\u0007\\u202ex{993}"\n$/,
    ],
  ];
  for (const [name, answer, expected] of ANSWERS)
    it(`for ${name}`, async (t) => {
      const { status, stdout, stderr, paths } = await waitFor(t, answer, '--for', '30s');
      assert.deepEqual([status, stdout, paths.length], [1, '', 1], stderr);
      assert.match(stderr, expected);
      assert.equal(stderr.split('\n').length, 2, stderr);
    });

  it('for an answer without end, of which it reads 8 MiB', async (t) => {
    let written = 0;
    const { status, stderr } = await waitFor(t, (response) => {
      const piece = Buffer.alloc(64 * 1024, ' ');
      const write = (): void => {
        while (written < 1e9) {
          written += piece.length;
          if (!response.write(piece)) break;
        }
      };
      response.writeHead(200, JSON_TYPE).on('drain', write);
      write();
    });
    assert.equal(status, 1);
    assert.match(stderr, /^The response is longer than any response of this service\. .+\n$/);
    // The rest is in the buffers of the connection.
    assert.ok(written < 64e6, `${written} bytes`);
  });

  it('for an answer of 64 MiB in compressed form', async (t) => {
    const bytes = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '), { level: 1 });
    const { status, stderr } = await waitFor(t, (response) => {
      response.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' }).end(bytes);
    });
    assert.equal(status, 1);
    assert.match(stderr, /^The response is longer than any response of this service\. .+\n$/);
  });
});

describe('porchlight wait ends after --for, exit code 1 where no call succeeded, else 3', {
  concurrency: true,
}, () => {
  const ANSWERS: [name: string, answer: Answer][] = [
    ['never answers', () => undefined],
    ['never ends its headers', (response) => response.socket?.write('HTTP/1.1 200 OK\r\nX: ')],
    [
      'sends blanks for ever',
      (response) => {
        response.writeHead(200, JSON_TYPE).write(outline({}));
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => {
          clearInterval(timer);
        });
      },
    ],
  ];
  for (const [name, answer] of ANSWERS)
    it(`where a service ${name}`, async (t) => {
      const { status, stdout, stderr, seconds } = await waitFor(t, answer, '--for', '2s', '--after', CURSOR);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(
        stderr,
        /(?:^Nothing responds at this URL|^No call succeeded within 2s) \(no complete response in time\)\. .+\n$/m,
      );
      assert.ok(seconds >= 2 && seconds < 12, `${seconds} s`);
    });
});

it('porchlight wait prints an answer of several lines and with control characters as one line of JSON', async (t) => {
  const text = 'a\u009b31m b\u202e c\u2028 d';
  const messages = [{ message: text, deep: [1, { a: 2 }] }];
  const answer = JSON.stringify({ nextAfter: CURSOR, more: false, messages }, null, '\t').replaceAll(
    '\n',
    '\r\n',
  );
  const { status, stdout } = await waitFor(t, json(`  ${answer}\n`));
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(stdout).messages, messages);
  assert.match(stdout, /^[\u0020-\u007e]+\n$/);
});

it('porchlight wait prints a message of 500,000 brackets, which a pipe does not take at once', async (t) => {
  const brackets = '['.repeat(500_000) + ']'.repeat(500_000);
  const answer = `{"nextAfter":"${CURSOR}","messages":[{"message":${brackets}}]}`;
  const { status, stdout, stderr } = await waitFor(t, json(answer));
  assert.deepEqual([status, stdout === `${answer}\n`, stderr], [0, true, '']);
});
