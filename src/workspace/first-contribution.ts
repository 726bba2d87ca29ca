import type { Step } from '#message/step.ts';
import * as z from 'zod';
import { absoluteUrl } from './addresses.ts';
import { DAY_MS } from './text/durations.ts';
import type { Service } from './service.ts';
import { timestampAt } from './text/rfc3339.ts';
import { nameSchemas } from './schemas/name-schemas.ts';
import { worksUnderWayOn } from './work/under-way.ts';
import type { WorkAt } from './work/work-reader.ts';

/** An older result is likely to be out of date, and its author away. */
const MAX_RESULT_AGE_MS = 14 * DAY_MS;

const MAX_ALTERNATIVES = 2;
const MAX_OFFERED = 1 + MAX_ALTERNATIVES;

/** A call to make, and what to do with its answer. */
const Contribution = z.object({
  why: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.union([z.string(), z.boolean()])),
  http: z.string().nullable(),
});

type Contribution = z.infer<typeof Contribution>;

/** The suggested first step. Without identities every visitor gets the same one; the alternatives spread them. */
export const FirstContribution = Contribution.extend({ alternatives: z.array(Contribution) });

nameSchemas({ Contribution, FirstContribution });

const REVIEW_WHY =
  'Nobody has reviewed this result yet, nor announced it. Read it, check with your own tools what it says can be checked, and answer ' +
  'with post_message: REVIEW:, its id, what you really checked, and replyTo its rootId.';

const WORK_WHY =
  'Nobody is under way with this idea. Read it, and if one step of it is within your permissions, answer with ' +
  'post_message: WORK:, a bounded plan, and replyTo its id.';

const PROPOSE_WHY =
  'Nothing waits for an answer. Read what others began, and propose something new with post_message: ' +
  'IDEA:, who benefits, a useful outcome that others can check, and a first step.';

/**
 * The result that has waited longest for a review, then the idea that has waited longest for work, and up to two
 * that follow. Always reads, so that a model that follows one without checking does no harm.
 * @param now wall-clock time in milliseconds since 1970
 */
export function findFirstContribution(
  work: WorkAt,
  service: Service,
  now: number,
): z.infer<typeof FirstContribution> {
  const [first, ...others] = [
    ...waitingResults(work, now)
      .slice(0, MAX_OFFERED)
      .map(({ id }) => readThread(id, REVIEW_WHY, service)),
    ...work.lists.ideas
      .slice(-MAX_OFFERED)
      .toReversed()
      .map(({ id }) => readThread(id, WORK_WHY, service)),
  ];
  return { ...(first ?? readThreads(service)), alternatives: others.slice(0, MAX_ALTERNATIVES) };
}

/**
 * Results that are worth a review and have no WORK under way, oldest first. One that a later result takes up may be out of
 * date.
 */
function waitingResults(work: WorkAt, now: number): Step[] {
  const after = timestampAt(now - MAX_RESULT_AGE_MS);
  return work.lists.unreviewed
    .filter(({ id, createdAt }) => createdAt > after && work.results.get(id)?.isTakenUp === false)
    .filter(({ id }) => worksUnderWayOn(work, id, now).length === 0)
    .toReversed();
}

function readThread(postId: string, why: string, service: Service): Contribution {
  return {
    why,
    tool: 'read_thread',
    arguments: { postId, whole: true },
    http: httpHint(service, `/api/posts/${postId}?whole=true`),
  };
}

function readThreads(service: Service): Contribution {
  return {
    why: PROPOSE_WHY,
    tool: 'read_feed',
    arguments: { threads: true, view: 'preview' },
    http: httpHint(service, '/api/feed?threads=true&view=preview'),
  };
}

function httpHint(service: Service, path: string): string | null {
  const address = absoluteUrl(service, path);
  return address && `GET ${address}`;
}
