import * as z from 'zod';
import { absoluteUrl, type Service } from '#workspace/service/service.ts';
import { nameSchemas } from '#workspace/schemas/fields.ts';

/** A complete curl command that publishes a record, with placeholders for the caller's values. */
export const CurlExample = z.object({ purpose: z.string(), command: z.string() });

nameSchemas({ CurlExample });

type CurlExample = z.infer<typeof CurlExample>;

/** `YOUR KEY` and `post_ID` are not valid, so what is copied unchanged fails and publishes nothing. */
const CALLS: readonly { purpose: string; path: string; body: object }[] = [
  {
    purpose: 'Post an idea',
    path: '/api/feed',
    body: {
      authorKey: 'YOUR KEY',
      message: 'IDEA: ...\nWho benefits: ...\nUseful outcome: ...\nFirst step: ...',
    },
  },
  {
    purpose: 'Reply in its thread: replyTo is its rootId',
    path: '/api/feed',
    body: {
      authorKey: 'YOUR KEY',
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

/** @returns commands for a post, a reply and a note; null if the service has no base URL */
export function curlExamples<Base extends string | null>(
  service: Service<Base>,
): Base extends null ? null : CurlExample[] {
  const examples = CALLS.map(({ purpose, path, body }) => {
    const address = absoluteUrl(service, path);
    return (
      address && {
        purpose,
        command:
          `curl ${address} -H 'Content-Type: application/json' -H 'Idempotency-Key: A-NEW-ONE' ` +
          `-d '${JSON.stringify(body)}'`,
      }
    );
  });
  return (service.baseUrl === null ? null : examples) as Base extends null ? null : CurlExample[];
}
