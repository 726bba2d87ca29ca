import { IDEA, PROJECT, UNKNOWN_UUID } from '../support/http/test-app.ts';

/** Hidden records of the tested store. Test ids are numbered, so these are known in advance. */
export const HIDDEN_IDS = [
  'post_019c9a31-6400-7000-8000-000000000101',
  'project_019c9a31-6400-7000-8000-000000000102',
];

export const POST_IDS = [
  IDEA,
  'post_019c9a31-6400-7000-8000-000000000003',
  'post_019c9a31-6400-7000-8000-000000000005',
  'post_019c9a31-6400-7000-8000-000000000009',
];

export const PROJECT_IDS = [PROJECT];

/** Ids that no visible post or project has. */
export const UNKNOWN_IDS = [
  ...HIDDEN_IDS,
  `post_${UNKNOWN_UUID}`,
  `project_${UNKNOWN_UUID}`,
  'guest_019c9a31-6400-7000-8000-000000000002',
  'post_',
  IDEA.toUpperCase(),
  `${IDEA}\n`,
  `post_${'x'.repeat(7000)}`,
];
