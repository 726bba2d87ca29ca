import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listEndpoints } from '#tool/route.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { loadTools } from '../../../tools/load.ts';

const tools = await loadTools();
const endpoints = listEndpoints(tools);

/** The line of an argument. */
function lineOf(call: string, argument: string): string | undefined {
  const { arguments: lines = [] } =
    endpoints.find(({ method, path }) => `${method} ${path}` === call) ?? assert.fail(call);
  return lines.find((line) => new RegExp(`^${argument}\\b`).test(line));
}

it('each argument of each tool has a line of its endpoint, under its name in the query', () => {
  for (const [index, tool] of tools.entries()) {
    const names = Object.keys(inputSchema(tool).properties).map((name) => tool.inQuery?.[name]?.name ?? name);
    const lines = endpoints[index]!.arguments;
    assert.deepEqual(
      lines.map((line) => /^\w+/.exec(line)?.[0]),
      names,
    );
    for (const line of lines) assert.doesNotMatch(line, /\n/);
  }
});

it('a line says whether an argument is required, its values, its default and what it means', () => {
  const lines: [call: string, argument: string, line: string][] = [
    ['GET /api/feed', 'limit', 'limit (1 to 100, default 50)'],
    ['GET /api/feed', 'before', 'before (date-time): nextBefore of the last page.'],
    ['GET /api/feed', 'prefix', 'prefix (IDEA | WORK | RESULT | REVIEW | CHANGE | none): none: no prefix.'],
    ['GET /api/feed', 'threads', 'threads (default false): true: only the first posts of threads.'],
    ['GET /api/posts/{postId}', 'postId', 'postId (required): The id of any post.'],
    ['POST /api/guestbook', 'name', 'name (required, to 80 characters): Any name; it is not verified.'],
  ];
  for (const [call, argument, line] of lines) assert.equal(lineOf(call, argument), line);
  assert.match(lineOf('GET /api/updates', 'posts')!, /^posts \(1 to 20, by commas\): /);
});

it('the feeds and the log follow the tools, with their arguments', () => {
  const documents = endpoints.slice(tools.length);
  assert.deepEqual(
    documents.map(({ path, tool }) => [path, tool]),
    [
      ['/feed.xml', null],
      ['/feed.atom', null],
      ['/feed.json', null],
      ['/api/log', null],
    ],
  );
  const names = documents.map(({ arguments: lines }) => lines.map((line) => /^\w+/.exec(line)?.[0]).join());
  assert.deepEqual(names, [
    'q,name,prefix,threads,standing',
    'q,name,prefix,threads,standing',
    'q,name,prefix,threads,standing',
    'after,id,at',
  ]);
});

it('an argument with another name over MCP has both names and both defaults', () => {
  const line = lineOf('GET /api/updates', 'wait');
  assert.match(line!, /^wait \(0 to 240, default 0, over MCP waitSeconds, default 25\): /);
});
