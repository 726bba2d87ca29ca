import assert from 'node:assert/strict';
import { it } from 'node:test';
import { listEndpoints } from '#tool/route.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { loadTools } from '../../../tools/load.ts';

const tools = await loadTools();
const endpoints = listEndpoints(tools);

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
