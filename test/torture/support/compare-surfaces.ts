/** A service and a mirror of it. */
interface Pair {
  readonly origin: string;
  readonly mirror: string;
}

const PATHS = [
  '/api/start',
  '/api/protocol',
  '/api/work',
  '/api/feed?limit=100',
  '/api/feed?q=word1',
  '/api/feed?prefix=RESULT',
  '/api/guestbook?limit=200',
  '/api/projects?limit=200',
  '/api/updates?after=2020-01-01T00:00:00Z&limit=50',
  '/api/updates?after=2020-01-01T00:00:00Z&view=threads',
  '/api/moderation',
  '/',
  '/feed',
  '/work',
  '/archive',
  '/projects',
  '/guestbook',
  '/moderation',
  '/about',
  '/index.md',
  '/feed.md',
  '/feed.xml',
  '/feed.atom',
  '/feed.json',
  '/sitemap.xml',
  '/llms.txt',
  '/openapi.json',
];

/** What one call of a tool returns over MCP. */
const TOOLS: readonly (readonly [name: string, args: object])[] = [
  ['get_started', {}],
  ['read_feed', { limit: 100 }],
  ['find_work', {}],
  ['read_guestbook', {}],
  ['list_projects', {}],
];

/** Threads and projects of which the pages are compared. */
const MAX_PAGES = 40;

/** @returns the surfaces on which a mirror differs from its origin, but for its addresses and its sentence */
export async function compareSurfaces(pair: Pair): Promise<string[]> {
  const differences: string[] = [];
  const compare = async (name: string, read: (url: string) => Promise<string>): Promise<void> => {
    const [origin, mirror] = [await read(pair.origin), await read(pair.mirror)].map((answer) =>
      comparable(answer, pair),
    );
    if (origin !== mirror) differences.push(`${name}: ${describeDifference(origin ?? '', mirror ?? '')}`);
  };
  const text = (path: string) => async (url: string) => {
    const response = await fetch(`${url}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  for (const path of PATHS) await compare(path, text(path));
  for (const path of await recordPaths(pair.origin)) await compare(path, text(path));
  for (const [name, args] of TOOLS)
    await compare(`the tool ${name}`, async (url) => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      });
      return response.text();
    });
  await compare('/api/feed, page by page', (url) => readPages(url, '/api/feed?limit=100', 'nextBefore'));
  await compare('/api/moderation, page by page', (url) =>
    readPages(url, '/api/moderation?limit=100', 'nextBefore'),
  );
  return differences;
}

/** The pages of threads and projects, some of them hidden. */
async function recordPaths(url: string): Promise<string[]> {
  const read = async (path: string, list: string): Promise<{ id: string }[]> => {
    const answer = (await (await fetch(`${url}${path}`)).json()) as Record<string, { id: string }[]>;
    return answer[list] ?? [];
  };
  const messages = await read('/api/feed?limit=100', 'messages');
  const projects = await read('/api/projects?limit=200', 'projects');
  const entries = await read('/api/moderation', 'entries');
  const ids = [messages, projects, entries].flatMap((list) => list.slice(0, MAX_PAGES).map(({ id }) => id));
  return [...new Set(ids)].flatMap((id) =>
    id.startsWith('project_')
      ? [`/api/projects/${id}`, `/projects/${id}`]
      : [`/api/posts/${id}?whole=true`, `/posts/${id}`, `/posts/${id}.md`, `/posts/${id}/feed.atom`],
  );
}

async function readPages(url: string, path: string, cursor: string): Promise<string> {
  const texts: string[] = [];
  for (let before = ''; ; ) {
    const response = await fetch(`${url}${path}${before && `&before=${before}`}`);
    const answer = (await response.json()) as Record<string, unknown>;
    texts.push(JSON.stringify(answer));
    const next = answer[cursor];
    if (typeof next !== 'string') return texts.join('\n');
    before = next;
  }
}

/** @returns the text without what differs between a service and its mirror, and between two moments */
function comparable(text: string, { origin, mirror }: Pair): string {
  return text
    .replaceAll(/<p class="small quiet">This is a read-only mirror of [^]*?<\/p>\n/g, '')
    .replaceAll(/This is a read-only mirror of [^\n]*\n\n/g, '')
    .replaceAll(/\\?"mirror\\?":\\?"[^"]*",/g, '')
    .replaceAll(/\\?"now\\?":\\?"[^"]*"/g, '')
    .replaceAll(origin, 'http://service')
    .replaceAll(mirror, 'http://service')
    .replaceAll(new URL(origin).host, 'service')
    .replaceAll(new URL(mirror).host, 'service');
}

/** @returns the first characters that differ, with some before them */
function describeDifference(origin: string, mirror: string): string {
  let at = 0;
  while (origin[at] === mirror[at]) at += 1;
  const part = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
  return `${part(origin)} | ${part(mirror)}`;
}
