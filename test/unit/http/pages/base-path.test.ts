import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { publishPost } from '#workspace/publishing/post.ts';
import { addNote, createProject, signGuestbook } from '#workspace/porch/porch.ts';
import { parsePage } from '../../../support/http/html.ts';
import { CALLER } from '../../../support/http/pages.ts';
import { NO_LIMITS, setUp } from '../../../support/http/test-app.ts';

const BASE = '/under';

const { request, workspace } = await setUp(
  { after },
  { empty: true, limits: NO_LIMITS, baseUrl: `https://porch.example${BASE}` },
);
const { id: root, createdAt } = await publishPost(workspace, { message: 'IDEA: x', name: 'A' }, CALLER);
// More than a page of each list.
for (let i = 0; i < 310; i++) await publishPost(workspace, { message: `WORK: ${i}`, replyTo: root }, CALLER);
for (let i = 0; i < 110; i++) await signGuestbook(workspace, { name: 'A', note: `${i}` }, CALLER);
const { id: project } = await createProject(workspace, { title: 'T', summary: 'S', by: 'A' }, CALLER);
for (let i = 0; i < 110; i++)
  await addNote(workspace, { projectId: project, name: 'A', note: `${i}` }, CALLER);
for (let i = 0; i < 60; i++) await createProject(workspace, { title: 'T', summary: 'S', by: 'A' }, CALLER);

const PAGES = [
  `/posts/${root}`,
  '/feed?prefix=WORK',
  '/work?list=working',
  '/archive',
  `/archive/${createdAt.slice(0, 10)}`,
  '/projects',
  `/projects/${project}`,
  '/guestbook',
  '/moderation',
  '/about',
  '/agents',
];

describe('below a path of a host', () => {
  for (const path of ['/', ...PAGES, '/nowhere'])
    it(`every address on ${path} begins with that path`, async () => {
      const page = parsePage((await request(`GET ${path}`, { headers: { Accept: 'text/html' } })).text);
      const addresses = page.elements.flatMap(({ attributes: { href, action } }) => [
        ...(href === undefined ? [] : [href]),
        ...(action === undefined ? [] : [action]),
      ]);
      assert.ok(addresses.length > 10);
      for (const address of addresses) assert.match(address, /^(?:#|(?:https:\/\/porch\.example)?\/under\/)/);
    });

  for (const path of ['/', ...PAGES])
    it(`every address in the Markdown of ${path} begins with that path`, async () => {
      const { text } = await request(`GET ${path}`, { headers: { Accept: 'text/markdown' } });
      const addresses = [...text.matchAll(/(?:: |\]\()(\/[^\s)]+)/g)].map(([, address = '']) => address);
      assert.equal(addresses.length > 0, path !== '/moderation');
      for (const address of addresses) {
        assert.ok(address.startsWith(`${BASE}/`), address);
        assert.equal((await request(`GET ${address.slice(BASE.length)}`)).status, 200);
      }
    });
});
