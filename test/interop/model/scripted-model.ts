import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { anthropic } from './anthropic.ts';
import { chatCompletions } from './chat-completions.ts';
import type { Dialect, ModelRequest, StreamEvent } from './dialect.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';
import { nextTurn, type Script } from './script.ts';

const DIALECTS: readonly Dialect[] = [anthropic, chatCompletions, responses, gemini];

/** What a host asks for beside turns. */
const FIXED: readonly (readonly [RegExp, unknown])[] = [
  [/\/count_tokens$/, { input_tokens: 1 }],
  [/:countTokens$/, { totalTokens: 1 }],
];

export interface TimedRequest extends ModelRequest {
  /** Milliseconds of `performance.now()`. */
  readonly time: number;
}

export interface ScriptedModel {
  /** Of the server, without a path. */
  readonly url: string;
  /** The requests for a turn so far. */
  readonly requests: readonly TimedRequest[];
  /** Method and path of requests that got 404. */
  readonly unknown: readonly string[];
  readonly close: () => void;
}

const encode = ({ event, data }: StreamEvent): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

/** In the API of Gemini the path names the model. */
const modelIn = (path: string, body: { model?: string }): string =>
  body.model ?? /models\/([^/:]+):/.exec(path)?.[1] ?? 'scripted';

type Reply = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Starts a server on the loopback address that stands for a model: it follows a script in the APIs of several. */
export async function startScriptedModel(script: Script): Promise<ScriptedModel> {
  const requests: TimedRequest[] = [];
  const unknown: string[] = [];
  const reply: Reply = async (request, response) => {
    const path = new URL(request.url!, 'http://localhost').pathname;
    const dialect = DIALECTS.find((one) => one.path.test(path));
    const fixed = FIXED.find(([pattern]) => pattern.test(path))?.[1];
    if (request.method !== 'POST' || (dialect === undefined && fixed === undefined)) {
      unknown.push(`${request.method ?? ''} ${path}`);
      sendJson(response, 404, { error: { message: 'The scripted model has no such path.' } });
      return;
    }
    const body = (await json(request)) as { model?: string };
    if (dialect === undefined) {
      sendJson(response, 200, fixed);
      return;
    }
    const asked = dialect.read(body, path);
    requests.push({ ...asked, time: performance.now() });
    const turn = nextTurn(script, asked);
    const model = modelIn(path, body);
    if (!asked.streaming) {
      sendJson(response, 200, dialect.whole(turn, model));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(dialect.events(turn, model).map(encode).join(''));
  };
  const server = createServer((request, response) => {
    reply(request, response).catch((error: unknown) => {
      sendJson(response, 500, { error: { message: String(error) } });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    unknown,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
