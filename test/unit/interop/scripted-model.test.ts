import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startScriptedModel } from '../../interop/model/scripted-model.ts';

const ARGS = { limit: 5 };
const CLOSING = 'Done.';
const TOOL = 'mcp__porchlight__read_feed';

const model = await startScriptedModel({ calls: [{ tool: 'read_feed', args: ARGS }], closing: CLOSING });
after(() => {
  model.close();
});

/** How a host asks in one API, and what it reads from the response. Bodies are spelled as the API documents them. */
interface Api {
  readonly name: string;
  readonly path: (streaming: boolean) => string;
  readonly first: object;
  readonly afterCall: object;
  readonly wholeCall: (body: any) => unknown; // eslint-disable-line @typescript-eslint/no-explicit-any
  readonly streamedCall: (events: any[]) => unknown; // eslint-disable-line @typescript-eslint/no-explicit-any
}

const question = { role: 'user', content: 'Read.' };

const APIS: readonly Api[] = [
  {
    name: 'Anthropic messages',
    path: () => '/v1/messages',
    first: { tools: [{ name: 'Bash' }, { name: TOOL }], messages: [question] },
    afterCall: {
      messages: [
        question,
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'A post' }] },
      ],
    },
    wholeCall: ({ content: [{ name, input }] }) => [name, input],
    streamedCall: (events) => [events[1].content_block.name, JSON.parse(events[2].delta.partial_json)],
  },
  {
    name: 'Chat completions',
    path: () => '/v1/chat/completions',
    first: { tools: [{ type: 'function', function: { name: TOOL } }], messages: [question] },
    afterCall: { messages: [question, { role: 'tool', tool_call_id: 'call_1', content: 'A post' }] },
    wholeCall: ({ choices }) => callOf(choices[0].message.tool_calls[0].function),
    streamedCall: ([{ choices }]) => callOf(choices[0].delta.tool_calls[0].function),
  },
  {
    name: 'Responses',
    path: () => '/v1/responses',
    first: { tools: [{ type: 'web_search' }, { type: 'function', name: TOOL }], input: [question] },
    afterCall: { input: [question, { type: 'function_call_output', call_id: 'call_1', output: 'A post' }] },
    wholeCall: ({ output: [item] }) => callOf(item),
    streamedCall: (events) => callOf(events.at(-1).response.output[0]),
  },
  {
    name: 'Gemini',
    path: (streaming) =>
      `/v1beta/models/gemini-2.5-pro:${streaming ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    first: {
      tools: [{ functionDeclarations: [{ name: TOOL }] }],
      contents: [{ parts: [{ text: 'Read.' }] }],
    },
    afterCall: {
      contents: [{ parts: [{ functionResponse: { name: TOOL, response: { output: 'A post' } } }] }],
    },
    wholeCall: ({ candidates }) => geminiCallOf(candidates),
    streamedCall: ([{ candidates }]) => geminiCallOf(candidates),
  },
];

const callOf = (call: { name: string; arguments: string }) => [call.name, JSON.parse(call.arguments)];
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const geminiCallOf = ([{ content }]: any) => {
  const { name, args } = content.parts[0].functionCall;
  return [name, args];
};

async function ask(path: string, body: object): Promise<string> {
  const response = await fetch(`${model.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  return response.text();
}

const eventsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));

for (const { name, path, first, afterCall, wholeCall, streamedCall } of APIS) {
  test(`${name}: a call of the offered tool, then the closing text`, async () => {
    const tools = 'tools' in first ? { tools: first.tools } : {};
    assert.deepEqual(wholeCall(JSON.parse(await ask(path(false), first))), [TOOL, ARGS]);
    assert.match(await ask(path(false), { ...tools, ...afterCall }), /"Done\."/);
    assert.match(JSON.stringify(model.requests.at(-1)!.results), /A post/);
  });

  test(`${name}, streamed: a call of the offered tool, then the closing text`, async () => {
    const stream = name === 'Gemini' ? {} : { stream: true };
    assert.deepEqual(streamedCall(eventsIn(await ask(path(true), { ...first, ...stream }))), [TOOL, ARGS]);
    assert.match(await ask(path(true), { ...afterCall, ...stream }), /"Done\."/);
  });
}

test('a namespace of the Responses API is part of the call', async () => {
  const tools = [{ type: 'namespace', name: 'mcp__porchlight', tools: [{ name: 'read_feed' }] }];
  const { output } = JSON.parse(await ask('/v1/responses', { tools, input: [question] }));
  assert.deepEqual([output[0].namespace, output[0].name], ['mcp__porchlight', 'read_feed']);
});

test('without the tool it searches, and calls what it found by the tool for that', async () => {
  const tools = ['tool_search', 'tool_call'].map((name) => ({ type: 'function', function: { name } }));
  const search = JSON.parse(await ask('/chat/completions', { tools, messages: [question] }));
  const { id } = search.choices[0].message.tool_calls[0];
  const found = { role: 'tool', tool_call_id: id, content: `read_feed is here: {"name":"${TOOL}"}` };
  const { choices } = JSON.parse(await ask('/chat/completions', { tools, messages: [question, found] }));
  const call = callOf(choices[0].message.tool_calls[0].function);
  assert.deepEqual(call, ['tool_call', { name: TOOL, arguments: ARGS }]);
});

test('a request that offers no tools gets the closing text', async () => {
  const body = JSON.parse(await ask('/v1/messages', { messages: [question] }));
  assert.deepEqual(body.content, [{ type: 'text', text: CLOSING }]);
});

test('tokens are counted, and another path gets 404 and is recorded', async () => {
  assert.deepEqual(JSON.parse(await ask('/v1/messages/count_tokens', {})), { input_tokens: 1 });
  const { status } = await fetch(`${model.url}/v1/models`);
  assert.equal(status, 404);
  assert.deepEqual(model.unknown, ['GET /v1/models']);
});
