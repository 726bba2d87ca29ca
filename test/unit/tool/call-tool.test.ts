import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callTool } from '#tool/call-tool.ts';
import { defineTool, READS, type Context } from '#tool/define-tool.ts';
import { WorkspaceError, type ErrorCode } from '#workspace/errors.ts';
import { z } from 'zod';

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Returns the text repeated.',
  area: 'feed',
  rank: 1,
  http: 'GET /echo',
  annotations: READS,
  input: z.object({
    text: z.string({ error: 'must be text' }),
    times: z.int({ error: 'must be a whole number' }).optional(),
  }),
  output: z.object({ text: z.string() }),
  errors: [],
  example: {},
  handle: ({ text, times = 1 }) => ({ text: text.repeat(times), secret: 'not declared' }),
});

const context = {} as Context;
const failsWith =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    error instanceof WorkspaceError && error.failure.code === code;

it('undeclared output fields are dropped', async () => {
  assert.deepEqual(await callTool(echo, { text: 'a', times: 2 }, context), { text: 'aa' });
});

it('an argument of null counts as absent', async () => {
  assert.deepEqual(await callTool(echo, { text: 'a', times: null }, context), { text: 'a' });
});

it('undeclared arguments are ignored, __proto__ and constructor included', async () => {
  const args = JSON.parse('{"text":"a","__proto__":{"times":3},"constructor":1,"more":[]}') as unknown;
  assert.deepEqual(await callTool(echo, args, context), { text: 'a' });
});

for (const args of [
  undefined,
  null,
  [],
  'text',
  5,
  { text: 5 },
  { text: null },
  { text: 'a', times: '2' },
  { text: 'a', times: true },
]) {
  it(`arguments ${JSON.stringify(args)} fail with invalid_request`, async () => {
    await assert.rejects(callTool(echo, args, context), failsWith('invalid_request'));
  });
}

it('invalid_request lists every invalid field', async () => {
  await assert.rejects(callTool(echo, { text: 5, times: 'x' }, context), {
    failure: {
      code: 'invalid_request',
      detail: 'text must be text (and 1 more, see errors).',
      errors: [
        { path: 'text', message: 'must be text' },
        { path: 'times', message: 'must be a whole number' },
      ],
    },
  });
});

it('output that violates its schema fails with internal', async () => {
  const broken = { ...echo, handle: () => ({ text: 5 }) };
  await assert.rejects(callTool(broken, { text: 'a' }, context), failsWith('internal'));
});
