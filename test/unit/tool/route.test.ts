import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeArguments } from '#tool/route.ts';
import { inputSchema } from '#tool/json-schema.ts';
import { loadTools } from '../../../tools/load.ts';

const tools = await loadTools();

it('each argument of each tool has a line, under its name in the query', () => {
  for (const tool of tools) {
    const names = Object.keys(inputSchema(tool).properties).map((name) => tool.inQuery?.[name]?.name ?? name);
    const lines = describeArguments(tool);
    const found = lines.map((line) => /^\w+/.exec(line)?.[0]);
    assert.deepEqual(found, names);
    for (const line of lines) assert.doesNotMatch(line, /\n/);
  }
});
