import type { Dialect, Turn } from './dialect.ts';

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const messageOf = (turn: Turn) =>
  'call' in turn
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: turn.call.id,
            type: 'function',
            function: { name: turn.call.tool.name, arguments: JSON.stringify(turn.call.args) },
          },
        ],
      }
    : { role: 'assistant', content: turn.text };

/** In a stream a call carries its index. */
function deltaOf(turn: Turn): object {
  const { tool_calls, ...message } = messageOf(turn);
  return tool_calls === undefined
    ? message
    : { ...message, tool_calls: tool_calls.map((call, index) => ({ index, ...call })) };
}

const finishReason = (turn: Turn): string => ('call' in turn ? 'tool_calls' : 'stop');

/** The Chat Completions API of OpenAI. */
export const chatCompletions: Dialect = {
  path: /\/chat\/completions$/,
  read: ({ stream = false, tools = [], messages }) => ({
    streaming: stream,
    tools: tools.map((tool: { function: { name: string } }) => ({ name: tool.function.name })),
    results: messages
      .filter(({ role }: { role: string }) => role === 'tool')
      .map(({ tool_call_id, content }: { tool_call_id: string; content: unknown }) => ({
        id: tool_call_id,
        json: JSON.stringify(content),
      })),
  }),
  whole: (turn, model) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: messageOf(turn), finish_reason: finishReason(turn) }],
    usage: USAGE,
  }),
  events: (turn, model) => {
    const chunk = (choices: readonly object[], fields: object = {}) => ({
      data: { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 0, model, choices, ...fields },
    });
    return [
      chunk([{ index: 0, delta: deltaOf(turn), finish_reason: null }]),
      chunk([{ index: 0, delta: {}, finish_reason: finishReason(turn) }]),
      chunk([], { usage: USAGE }),
      { data: '[DONE]' },
    ];
  },
};
