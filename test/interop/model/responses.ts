import type { Dialect, OfferedTool, StreamEvent, Turn } from './dialect.ts';

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

interface ResponsesTool {
  readonly type: string;
  readonly name?: string;
  /** Of a namespace. */
  readonly tools?: readonly ResponsesTool[];
}

/** A namespace holds the tools of a server. */
const toolsIn = ({ name, tools }: ResponsesTool): readonly OfferedTool[] => {
  if (name === undefined) return [];
  return tools?.map((tool) => ({ name: tool.name!, namespace: name })) ?? [{ name }];
};

const itemOf = (turn: Turn) =>
  'call' in turn
    ? {
        type: 'function_call',
        id: `fc_${turn.call.id}`,
        call_id: turn.call.id,
        status: 'completed',
        ...turn.call.tool,
        arguments: JSON.stringify(turn.call.args),
      }
    : {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: turn.text, annotations: [] }],
      };

const response = (model: string, status: string, output: readonly object[]) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 0,
  model,
  status,
  output,
  usage: status === 'completed' ? USAGE : null,
});

function deltasOf(turn: Turn, itemId: string): readonly StreamEvent[] {
  const place = { item_id: itemId, output_index: 0 };
  if ('call' in turn) {
    const args = JSON.stringify(turn.call.args);
    return [
      { event: 'response.function_call_arguments.delta', data: { ...place, delta: args } },
      { event: 'response.function_call_arguments.done', data: { ...place, arguments: args } },
    ];
  }
  const part = { type: 'output_text', text: turn.text, annotations: [] };
  return [
    {
      event: 'response.content_part.added',
      data: { ...place, content_index: 0, part: { ...part, text: '' } },
    },
    { event: 'response.output_text.delta', data: { ...place, content_index: 0, delta: turn.text } },
    { event: 'response.output_text.done', data: { ...place, content_index: 0, text: turn.text } },
    { event: 'response.content_part.done', data: { ...place, content_index: 0, part } },
  ];
}

/** In the first event of an item its content is still to come. */
const begun = (item: ReturnType<typeof itemOf>): object => ({
  ...item,
  status: 'in_progress',
  ...('content' in item ? { content: [] } : { arguments: '' }),
});

/** The Responses API of OpenAI. */
export const responses: Dialect = {
  path: /\/responses$/,
  read: ({ stream = false, tools = [], input }) => ({
    streaming: stream,
    tools: tools.flatMap(toolsIn),
    results: (Array.isArray(input) ? input : [])
      .filter(({ type }: { type: string }) => type === 'function_call_output')
      .map(({ call_id, output }: { call_id: string; output: unknown }) => ({
        id: call_id,
        json: JSON.stringify(output),
      })),
  }),
  whole: (turn, model) => response(model, 'completed', [itemOf(turn)]),
  events: (turn, model) => {
    const item = itemOf(turn);
    const events: readonly StreamEvent[] = [
      { event: 'response.created', data: { response: response(model, 'in_progress', []) } },
      { event: 'response.output_item.added', data: { output_index: 0, item: begun(item) } },
      ...deltasOf(turn, item.id),
      { event: 'response.output_item.done', data: { output_index: 0, item } },
      { event: 'response.completed', data: { response: response(model, 'completed', [item]) } },
    ];
    return events.map(({ event, data }, index) => ({
      event: event!,
      data: { type: event, sequence_number: index, ...(data as object) },
    }));
  },
};
