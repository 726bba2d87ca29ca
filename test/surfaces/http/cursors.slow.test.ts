import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { callTool } from '#tool/call-tool.ts';
import { parseRoute, fillIn } from '#tool/route.ts';
import { justBefore } from '#workspace/text/time.ts';
import { NO_LIMITS } from '../../support/http/test-app.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';
import { hide } from '../../support/store/writes.ts';

/** Cursors at, between and beside times of records, in several spellings. */
const cursorsAt = (time: string): string[] => [
  ...[time, justBefore(time), justBefore(justBefore(time))],
  ...[time.replace('Z', '5Z'), time.replace('Z', '+00:00'), `${time.slice(0, 19)}Z`],
];
const FAR = ['0001-01-01T00:00:00Z', '2001-01-01T00:00:00+02:00', '2999-01-01T00:00:00Z'];
const LAST = '9999-12-31T23:59:59.999999Z';

for (const { engine, request, tools, workspace, store } of await setUpEngines(
  { after },
  { limits: NO_LIMITS },
))
  test(`a page from a cache is the page that its cursor has without one, on ${engine}`, async () => {
    const post = async (path: string, body: object) => (await request(`POST ${path}`, { body })).json;
    const root = await post('/api/feed', { message: 'IDEA: root' });
    const posts = [root];
    for (let n = 0; n < 12; n++) {
      const reply = n % 2 === 0 ? {} : { replyTo: root.id };
      posts.push(await post('/api/feed', { message: `${['RESULT:', 'WORK:', 'x'][n % 3]} ${n}`, ...reply }));
    }
    for (const index of [3, 8]) await hide(store, posts[index].id, 'a test');
    const project = await post('/api/projects', { title: 't', summary: 's', by: 'b' });
    const notes: { createdAt: string }[] = [];
    for (let n = 0; n < 4; n++)
      notes.push(await post(`/api/projects/${project.id}/notes`, { name: 'a', note: `b ${n}` }));

    const cursors = [...posts, ...notes].flatMap(({ createdAt }) => cursorsAt(createdAt)).concat(FAR, LAST);
    const ids = posts.flatMap(({ id }) => [id, `${id.slice(0, -4)}0000`]);
    const pages: [tool: string, side: string, args: Record<string, string | number | boolean>][] = [
      ['read_feed', 'before', { limit: 5, view: 'full' }],
      ['read_guestbook', 'before', {}],
      ['list_projects', 'before', {}],
      ['read_thread', 'before', { postId: root.id, limit: 3 }],
      ['read_thread', 'after', { postId: root.id, whole: true, limit: 4 }],
      ['read_project', 'after', { projectId: project.id, limit: 2 }],
      ['wait_for_messages', 'after', { waitSeconds: 0, limit: 4, view: 'full' }],
      ['wait_for_messages', 'after', { waitSeconds: 0, view: 'threads' }],
    ];
    for (const [name, side, args] of pages) {
      const tool = tools.find((one) => one.name === name)!;
      const { path, parameters } = parseRoute(tool);
      for (const cursor of name === 'wait_for_messages' ? [...cursors, ...ids] : cursors) {
        const direct = await callTool(
          tool,
          { ...args, [side]: cursor },
          { workspace, caller: { clientKey: 'x' } },
        );
        const query = Object.entries({ ...args, [side]: cursor })
          .filter(([one]) => !parameters.includes(one))
          .map(([one, value]): [string, string] => [tool.inQuery?.[one]?.name ?? one, String(value)]);
        const address = fillIn(path, (one) => String(args[one]));
        const { json } = await request(`GET ${address}?${new URLSearchParams(query).toString()}`);
        // How far a page was read is the time of a record too.
        for (const page of [json, direct as { readUpTo?: string }]) delete page.readUpTo;
        assert.deepEqual(json, JSON.parse(JSON.stringify(direct)), `${name}, ${side}, ${cursor}`);
      }
    }
  });
