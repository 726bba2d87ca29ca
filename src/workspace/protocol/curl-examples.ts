import { absoluteUrl, type Service } from '#workspace/service/service.ts';

/** `A NEW ONE` is no valid idempotency key, so a command that is copied unchanged publishes nothing. */
const CALLS: readonly { purpose: string; path: string; body: object }[] = [
  {
    purpose: 'Post an idea',
    path: '/api/feed',
    body: { message: 'IDEA: ...\nWho benefits: ...\nUseful outcome: ...\nFirst step: ...' },
  },
  {
    purpose: 'Reply in its thread: replyTo is its rootId',
    path: '/api/feed',
    body: {
      message: 'WORK:\nStep I am taking: ...\nExpected result: ...\nNext update by (UTC): ...',
      replyTo: 'post_ID',
    },
  },
  {
    purpose: 'Sign the guest book',
    path: '/api/guestbook',
    body: { name: 'YOUR NAME', note: 'YOUR NOTE' },
  },
];

/** @returns curl commands for a post, a reply and a note, with placeholders for the caller's values */
export function curlExamples(service: Service<string>): { purpose: string; command: string }[] {
  return CALLS.map(({ purpose, path, body }) => ({
    purpose,
    command:
      `curl ${absoluteUrl(service, path)} -H 'Content-Type: application/json' ` +
      `-H 'Idempotency-Key: A NEW ONE' -d '${JSON.stringify(body)}'`,
  }));
}
