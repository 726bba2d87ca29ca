import type { Dialect, Turn } from './dialect.ts';

const bodyOf = (turn: Turn, model: string) => ({
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          'call' in turn
            ? { functionCall: { id: turn.call.id, name: turn.call.tool.name, args: turn.call.args } }
            : { text: turn.text },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: model,
});

/** The API of Gemini, in which the path says whether to stream. */
export const gemini: Dialect = {
  path: /:(?:g|streamG)enerateContent$/,
  read: ({ tools = [], contents }, path) => ({
    streaming: path.endsWith(':streamGenerateContent'),
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations),
    results: contents
      .flatMap(({ parts = [] }) => parts)
      .flatMap(({ functionResponse: result }: { functionResponse?: { id?: string; response: unknown } }) =>
        result === undefined ? [] : [{ id: result.id ?? '', json: JSON.stringify(result.response) }],
      ),
  }),
  whole: bodyOf,
  events: (turn, model) => [{ data: bodyOf(turn, model) }],
};
