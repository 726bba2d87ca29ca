import type { Dialect, StreamEvent, Turn } from './dialect.ts';

const USAGE = { input_tokens: 1, output_tokens: 1 };

const blockOf = (turn: Turn) =>
  'call' in turn
    ? { type: 'tool_use', id: turn.call.id, name: turn.call.tool.name, input: turn.call.args }
    : { type: 'text', text: turn.text };

const stopReason = (turn: Turn): string => ('call' in turn ? 'tool_use' : 'end_turn');

const message = (model: string) => ({ id: 'msg_1', type: 'message', role: 'assistant', model });

/** An event carries its name twice. */
const event = (type: string, fields: object = {}): StreamEvent => ({
  event: type,
  data: { type, ...fields },
});

/** The Messages API of Anthropic. */
export const anthropic: Dialect = {
  path: /\/v1\/messages$/,
  read: ({ stream = false, tools = [], messages }) => ({
    streaming: stream,
    tools: tools.filter(({ name }: { name?: string }) => name !== undefined),
    results: messages
      .flatMap(({ content }: { content: unknown }) => (Array.isArray(content) ? content : []))
      .filter(({ type }: { type: string }) => type === 'tool_result')
      .map(({ tool_use_id, content }: { tool_use_id: string; content: unknown }) => ({
        id: tool_use_id,
        json: JSON.stringify(content),
      })),
  }),
  whole: (turn, model) => ({
    ...message(model),
    content: [blockOf(turn)],
    stop_reason: stopReason(turn),
    stop_sequence: null,
    usage: USAGE,
  }),
  events: (turn, model) => [
    event('message_start', {
      message: { ...message(model), content: [], stop_reason: null, stop_sequence: null, usage: USAGE },
    }),
    event('content_block_start', {
      index: 0,
      content_block: 'call' in turn ? { ...blockOf(turn), input: {} } : { type: 'text', text: '' },
    }),
    event('content_block_delta', {
      index: 0,
      delta:
        'call' in turn
          ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.call.args) }
          : { type: 'text_delta', text: turn.text },
    }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: stopReason(turn), stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    event('message_stop'),
  ],
};
