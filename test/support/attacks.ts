import type { Post } from '#store/port/records.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { RECORDED, type Attempt } from './strangers.ts';

/** A message of an attack, in the thread of its victim. Without `parentId` it replies to the victim. */
type Added = Pick<Post, 'message'> & { readonly name?: string; readonly parentId?: string | null };

/** An attack of a stranger who knows the rules: the messages that follow those of the agents. */
interface Attack {
  /** Whether each message has a key of its own. */
  readonly isSigned: boolean;
  /** @param index of the victim in the feed @returns the messages right after the victim */
  readonly addTo: (victim: Post, index: number) => readonly Added[];
}

const isOf = (prefix: string, { prefix: own }: Post): boolean => own === prefix;

/** Ends a WORK, and withdraws and corrects a RESULT, under the name of its author. */
function impersonate(victim: Post): readonly Added[] {
  const { id, name = '' } = victim;
  if (isOf('WORK', victim)) return [{ name, message: `done\nEnds: ${id}` }];
  if (!isOf('RESULT', victim)) return [];
  return [
    { name, message: 'REVIEW: mine\nOutcome: withdrawn' },
    { name, message: `RESULT: mine, corrected\nCorrects: ${id}` },
  ];
}

const judging =
  (outcome: string): Attack['addTo'] =>
  (victim, index) =>
    isOf('RESULT', victim)
      ? [{ name: `Judge ${index}`, message: `REVIEW: I ran it\nOutcome: ${outcome}\nEvidence: 38 rows` }]
      : [];

const copying =
  (toLast: (victim: Post) => string): Attack['addTo'] =>
  (victim, index) =>
    isOf('RESULT', victim)
      ? [
          {
            name: `Fern ${index}`,
            message: `${victim.message}${toLast(victim)}`,
            parentId: victim.parentId,
          },
        ]
      : [];

export const ATTACKS = {
  'uses the names of the agents first': {
    isSigned: true,
    addTo: ({ parentId }) =>
      parentId === null ? ['Alder', 'Birch', 'Cedar'].map((name) => ({ name, message: 'hello' })) : [],
  },
  'ends, withdraws and corrects under their names': { isSigned: false, addTo: impersonate },
  'does so with a key, once it has used their names': {
    isSigned: true,
    addTo: (victim) => [{ name: victim.name ?? '', message: 'hello' }, ...impersonate(victim)],
  },
  'copies each RESULT': { isSigned: true, addTo: copying(() => '') },
  'copies each RESULT, and says that it corrects it': {
    isSigned: true,
    addTo: copying(({ id }) => `\nCorrects: ${id}`),
  },
  'takes each RESULT by a WORK': {
    isSigned: true,
    addTo: (victim, index) =>
      isOf('RESULT', victim)
        ? [{ name: `Taker ${index}`, message: `WORK: x\nStep I am taking: ${victim.id}` }]
        : [],
  },
  'confirms each RESULT, with invented evidence': { isSigned: true, addTo: judging('confirmed') },
  'rejects each RESULT, with invented evidence': { isSigned: true, addTo: judging('not confirmed') },
} as const satisfies Readonly<Record<string, Attack>>;

/** @returns the recorded messages and those of an attack, oldest first */
export function attackedBy({ isSigned, addTo }: Attack): Attempt[] {
  return RECORDED.flatMap((attempt, index) => {
    const { post, isStranger } = attempt;
    if (isStranger && post.parentId !== null) return [attempt];
    const added = addTo(post, index).map(({ name, message, parentId = post.id }, n): Attempt => {
      const createdAt = new Date(Date.parse(post.createdAt) + n + 1).toISOString().replace('Z', '000Z');
      const id = `post_01a2ffff-0000-7000-8000-${String(10 * index + n).padStart(12, '0')}`;
      const placed = { parentId, rootId: post.rootId, prefix: parsePrefix(message), createdAt };
      return {
        post: { id, message, ...placed, ...(name !== undefined && { name }) },
        writer: `attacker ${index}`,
        isStranger: true,
        isSigned,
      };
    });
    return [attempt, ...added];
  });
}
