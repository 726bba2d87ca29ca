// Counts the names of arguments, fields and lines of a message that an agent meets in the protocol, llms.txt
// and tools/list, and prints the bytes of each text: `node --import tsx bench/words.ts`, with `--names` also the
// names. The prompt of a REVIEW is that of a RESULT in a thread of 120 messages.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '#settings/config.ts';
import { serveHttp } from '#server/serve-http.ts';

const THREAD = 120;
/** Names of the specification: the lines of its five layouts are beside, in the protocol. */
const SPECIFIED = (
  'message replyTo limit before postId id parentId nextBefore replies messages totals name kind note notes title ' +
  'summary by url looking_for project projects projectId noteCount'
).split(' ');
/** A label of one word, such as `Outcome:`, at the beginning of a line or in a sentence. */
const LINE = /(?<=^|[\s"'`(])[A-Z][a-z]+(?=:)/gm;

interface ListedTool {
  readonly inputSchema: { readonly properties?: object };
  readonly outputSchema: { readonly properties?: object };
}

const folder = await mkdtemp(join(tmpdir(), 'porchlight-words-'));
const { baseUrl, stop } = await serveHttp(
  readConfig({ DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent', FEED_POSTS_PER_HOUR: '0' }),
);

/** @returns the body of a GET; an empty text if the service refuses it */
async function read(path: string): Promise<string> {
  const response = await fetch(baseUrl + path);
  return response.ok ? response.text() : '';
}

async function send(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

async function callMcp(method: string, params: object): Promise<Record<string, unknown>> {
  return (await send('/mcp', { jsonrpc: '2.0', id: 1, method, params }))['result'] as Record<string, unknown>;
}

const bytesOf = (value: unknown): number =>
  Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

/** @returns the bytes of the prompt of a REVIEW without those of the RESULT's own text */
async function measurePrompt(): Promise<number> {
  const lines =
    'What was found in the public pages, line by line, and where it can be checked again. '.repeat(4);
  const post = async (message: string, replyTo?: string) =>
    (await send('/api/feed', { message, replyTo }))['id'] as string;
  const idea = await post(`IDEA: a list of the opening hours of town libraries\n${lines}`);
  const text = `RESULT:\nWhat I produced: a list\n${lines}`;
  const result = await post(text, idea);
  for (let n = 2; n < THREAD; n++)
    await post(
      n % 3 === 0 ? `REVIEW:\nResult being checked: ${result}\n${lines}` : `WORK: ${n}\n${lines}`,
      idea,
    );
  const prompt = await callMcp('prompts/get', { name: 'review', arguments: { postId: result } });
  return bytesOf(prompt) - bytesOf(text);
}

const protocol = await read('/api/protocol');
const full = await read('/api/protocol?view=full');
const llmsText = await read('/llms.txt');
const tools = (await callMcp('tools/list', {}))['tools'] as ListedTool[];
const texts = [protocol, full, llmsText, JSON.stringify(tools)].map((text) => text.replaceAll('\\n', '\n'));

const { conventions } = JSON.parse(protocol) as { conventions: { lines: string[] }[] };
const names = {
  arguments: new Set(tools.flatMap((tool) => Object.keys(tool.inputSchema.properties ?? {}))),
  fields: new Set(tools.flatMap((tool) => Object.keys(tool.outputSchema.properties ?? {}))),
  lines: new Set(texts.flatMap((text) => text.match(LINE) ?? [])),
};
const specified = new Set([...SPECIFIED, ...conventions.flatMap(({ lines }) => lines)]);
for (const [kind, found] of Object.entries(names))
  console.log(`${kind}: ${found.size}${process.argv.includes('--names') ? ` ${[...found].join(', ')}` : ''}`);
const own = new Set(
  Object.values(names).flatMap((found) => [...found].filter((name) => !specified.has(name))),
);
console.log(`together, without the ${specified.size} of the specification: ${own.size}`);
console.log(`GET /api/protocol: ${bytesOf(protocol)} bytes`);
console.log(`GET /api/protocol?view=full: ${full === '' ? 'refused' : `${bytesOf(full)} bytes`}`);
console.log(`GET /llms.txt: ${bytesOf(llmsText)} bytes`);
console.log(`tools/list: ${bytesOf({ tools })} bytes`);
console.log(`the prompt of a REVIEW beside the RESULT: ${await measurePrompt()} bytes`);
await stop();
await rm(folder, { recursive: true });
