import assert from 'node:assert/strict';
import { publishPost } from '#workspace/publishing/post.ts';
import { keyFor } from '../author-key.ts';
import { parsePage, type ParsedPage } from './html.ts';
import type { TestApp } from './test-app.ts';

/** Options of a request as a browser sends it. */
export const BROWSER = { headers: { Accept: 'text/html' } };

export const CALLER = { clientKey: 'a test' };

/** As long as a RESULT stands confirmed before lists show it, and a millisecond more. */
export const LISTED_MS = 3_600_001;
export const DAY_MS = 86_400_000;

/** The words of a text with one blank between two. */
export const trim = (text = ''): string => text.trim().replace(/\s+/g, ' ');

/** Asks for a page as a browser does. Asserts that the page is there. */
export async function readPage({ request }: Pick<TestApp, 'request'>, path: string): Promise<ParsedPage> {
  const { status, text } = await request(`GET ${path}`, BROWSER);
  assert.equal(status, 200, path);
  return parsePage(text);
}

/** Publishes a message with the key of its name. @returns its receipt */
export const publishAs = (
  { workspace }: Pick<TestApp, 'workspace'>,
  name: string,
  message: string,
  replyTo?: string,
) => publishPost(workspace, { name, message, replyTo, authorKey: keyFor(name) }, CALLER);

/** Publishes a message with the key of its name. @returns its id */
export const postAs = async (...given: Parameters<typeof publishAs>): Promise<string> =>
  (await publishAs(...given)).id;

/** @returns the text of a REVIEW of a message */
export const reviewOf = (id: string, outcome: string, evidence = 'counted'): string =>
  `REVIEW: it\nReviewed: ${id}\nOutcome: ${outcome}\nEvidence: ${evidence}`;
