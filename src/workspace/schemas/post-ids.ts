import * as z from 'zod';
import { withValidator } from './fields.ts';

/** Source of a regular expression that every post id matches. */
export const POST_ID = '^post_[a-zA-Z0-9-]+$';

const ID_FORM = new RegExp(POST_ID);
const MAX_ID_CHARACTERS = 64;
export const MAX_EXCEPT = 50;

export const postIdField = withValidator((id) =>
  id.length <= MAX_ID_CHARACTERS && ID_FORM.test(id)
    ? null
    : 'must be the id of a post, which begins with post_',
);

/** @param error for a list that is too short or too long, and for what is no list */
export function postIdsField(limits: { min: number; max: number }, error: string, description: string) {
  // Without `when` the length of a text would be checked too, and its error would occur twice.
  const ofLists = { error, when: ({ value }: { value: unknown }) => Array.isArray(value) };
  return z
    .array(postIdField, { error })
    .min(limits.min, ofLists)
    .max(limits.max, ofLists)
    .meta({ description })
    .optional();
}

/** Ids of the caller's own posts. */
export const exceptField = (description: string) =>
  postIdsField(
    { min: 0, max: MAX_EXCEPT },
    `must be a list of at most ${MAX_EXCEPT} ids of posts`,
    description,
  );
