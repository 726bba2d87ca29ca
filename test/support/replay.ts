import { createHash } from 'node:crypto';
import { callTool } from '#tool/call-tool.ts';
import { moderate } from '#workspace/moderation/operator-writes.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import type { Post } from '#store/port/records.ts';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { readThreadMessages } from '#workspace/reading/thread.ts';
import type { TestWorkspace } from './context.ts';
import { toSteps } from './derived-work.ts';
import type { Attempt } from './recorded-feeds.ts';
import { standingByHand } from './standing-by-hand.ts';
import { workByHand } from './work-by-hand.ts';
import { keyFor, signerFor } from './author-key.ts';

/** What a tool returns, or a part of it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = any;

/** Who sends which key, and what the operator does. */
export interface Conduct {
  /** The key that a writer sends with a message; undefined for none. */
  readonly keyOf?: (attempt: Attempt, index: number) => string | undefined;
  /** Ids of recorded messages that the operator hides, or that reports hold, right after they are sent. */
  readonly hidden?: readonly string[];
  readonly held?: readonly string[];
  /** Who reads; the opener without it. */
  readonly viewer?: string;
  /** What is false, in one thread; without it all that the REVIEWs of honest agents say counts as true. */
  readonly truth?: Truth;
}

/** What is known of the RESULTs of one thread. */
interface Truth {
  readonly rootId: string;
  /** Ids of recorded RESULTs. */
  readonly wrong: ReadonlySet<string>;
  /** When the record ends. */
  readonly until: string;
}

/** RESULT-minutes of a replay, and what is shown at its end. */
export interface Figures {
  /** Minutes for which a RESULT stood as no count of the REVIEWs of honest agents says. */
  readonly falseMinutes: number;
  /** Minutes for which a RESULT was unreviewed although honest agents had judged it. */
  readonly silentMinutes: number;
  /** Minutes for which a wrong RESULT stood confirmed by two votes, and a right one worse than agents say. */
  readonly wrongByTwoMinutes: number;
  readonly worseMinutes: number;
  /** Ids of recorded RESULTs that stand false, or silent, at the end. */
  readonly falseAtEnd: readonly string[];
  readonly silentAtEnd: readonly string[];
  /** By the id of a recorded RESULT, at the end. */
  readonly standings: ReadonlyMap<string, string>;
}

/** Sends its key with each message, if it has one. */
export const usualKey = ({ writer, isKeyed }: Attempt): string | undefined => (isKeyed ? writer : undefined);

/** A signer for each writer, from which it is known who wrote what, whatever key was sent. */
const trueSigner = (writer: string): string =>
  createHash('sha256').update(writer).digest('hex').slice(0, 12).replace(/^./, 'a');

/** A RESULT that is only reviewed has no standing yet. */
const asUnreviewed = (standing: string): string => (standing === 'reviewed' ? 'unreviewed' : standing);

/**
 * Sends a recorded feed to a workspace by the tools, and compares the standings after each message with those
 * that follow from the REVIEWs of the honest agents alone. A writer whose name is refused uses another one.
 */
export async function replay(
  { tools, workspace, store, clock }: TestWorkspace,
  feed: readonly Attempt[],
  { keyOf = usualKey, hidden = [], held = [], viewer, truth }: Conduct = {},
): Promise<Figures> {
  const call = (name: string, args: object): Promise<Json> =>
    callTool(tools.find((tool) => tool.name === name)!, args, { workspace, caller: { clientKey: 'a' } });
  /** The ids of the store by those of the feed, and the other way round. */
  const ids = new Map<string, string>();
  const recorded = new Map<string, string>();
  /** The signers of the store, by writers and by the signers of the feed. */
  const signers = new Map<string, string>();
  const translate = (text: string): string =>
    text
      .replaceAll(/post_[0-9a-f-]{36}/g, (id) => ids.get(id) ?? id)
      .replaceAll(/\{signer:([^}]+)\}/g, (_, writer: string) => signers.get(writer) ?? '')
      .replaceAll(/(?<![\w-])[\da-z]{12}(?![\w-])/g, (signer) => signers.get(signer) ?? signer);

  async function publish(attempt: Attempt, index: number): Promise<Json> {
    const { message, name, parentId } = attempt.post;
    const key = keyOf(attempt, index);
    const post = {
      message: translate(message),
      ...(parentId !== null && { replyTo: ids.get(parentId) }),
      ...(key !== undefined && { authorKey: keyFor(key) }),
    };
    const refused = (error: unknown): void => {
      if (!(error instanceof WorkspaceError) || error.failure.code !== 'invalid_request') throw error;
    };
    // A name that no caller may have.
    for (const args of [{ name }, { name: `Somebody ${index}` }])
      try {
        return await call('post_message', { ...post, ...args });
      } catch (error) {
        refused(error);
      }
    return call('post_message', { ...post, name: `Somebody ${index}` });
  }

  /** What honest agents alone say, by who wrote what in truth. */
  const published: Post[] = [];
  const honest = new Set(feed.filter(({ isHonest }) => isHonest).map(({ writer }) => trueSigner(writer)));
  const figures = { falseMinutes: 0, silentMinutes: 0, wrongByTwoMinutes: 0, worseMinutes: 0 };
  let falseAtEnd: string[] = [];
  let silentAtEnd: string[] = [];
  const standings = new Map<string, string>();

  /** Compares with what is known to be true. A right RESULT is one that all agents who judged it confirm. */
  async function compareWithTruth({ rootId, wrong }: Truth, minutes: number): Promise<void> {
    [falseAtEnd, silentAtEnd] = [[], []];
    const steps = toSteps(published);
    const byHand = standingByHand(steps, { honest });
    const opener = signers.get(feed.find(({ post }) => post.id === rootId)?.writer ?? '');
    for (const step of steps) {
      if (step.prefix !== 'RESULT' || step.rootId !== ids.get(rootId)) continue;
      const id = recorded.get(step.id) ?? '';
      const {
        standing,
        signer,
        checked = [],
      } = (await call('read_thread', { postId: step.id, limit: 1 })).post;
      standings.set(id, standing);
      const isOpen = asUnreviewed(standing) === 'unreviewed';
      if (wrong.has(id)) {
        if (standing !== 'confirmed') continue;
        const byOpener = checked.some((review: Json) => review.signer === opener);
        const isByTwo = byOpener || checked.length > 1 || (signer === opener && checked.length > 0);
        figures.falseMinutes += minutes;
        if (isByTwo) figures.wrongByTwoMinutes += minutes;
        falseAtEnd.push(id.slice(-9));
      } else if (
        byHand.wordsOf(step).length > 0 &&
        byHand.wordsOf(step).every((said) => said === 'confirmed')
      ) {
        if (isOpen) {
          figures.silentMinutes += minutes;
          silentAtEnd.push(id);
        } else if (standing !== 'confirmed' && standing !== 'replaced') figures.worseMinutes += minutes;
      }
    }
  }

  async function compare(minutes: number): Promise<void> {
    if (truth !== undefined) return compareWithTruth(truth, minutes);
    [falseAtEnd, silentAtEnd] = [[], []];
    const expected = workByHand(toSteps(published), clock.now(), { honest });
    for (const [id, standing] of Object.entries(expected.standings)) {
      const right = asUnreviewed(standing);
      const shown = asUnreviewed(
        await standingOf(id, published.find((post) => post.id === id)?.rootId ?? id),
      );
      standings.set(recorded.get(id) ?? '', shown);
      if (shown === right) continue;
      const isSilent = shown === 'unreviewed';
      figures[isSilent ? 'silentMinutes' : 'falseMinutes'] += minutes;
      (isSilent ? silentAtEnd : falseAtEnd).push(`${recorded.get(id)?.slice(-9)} ${shown}, not ${right}`);
    }
  }

  async function standingOf(id: string, rootId: string): Promise<string> {
    if (viewer === undefined) return (await call('read_thread', { postId: id, limit: 1 })).post.standing;
    // The viewer may have written nothing in the thread yet.
    const read = (seenBy?: string): Promise<Json> =>
      readThreadMessages(workspace, { postId: id, whole: false, limit: 1, view: 'full', viewer: seenBy });
    return (await read(signerFor(viewer, rootId)).catch(() => read())).post.standing ?? 'unreviewed';
  }

  for (const [index, attempt] of feed.entries()) {
    const { id, createdAt, rootId, parentId } = attempt.post;
    clock.set(createdAt);
    const receipt = await publish(attempt, index);
    ids.set(id, receipt.id);
    recorded.set(receipt.id, id);
    if (receipt.signer !== undefined)
      for (const name of [attempt.writer, attempt.mark ?? '']) signers.set(name, receipt.signer);
    const isHidden = hidden.includes(id);
    if (isHidden) await moderate(store, 'hide', receipt.id, 'spam');
    if (held.includes(id)) await moderate(store, 'hide', receipt.id, `${HOLD_PREFIX} reports`);
    if (!isHidden)
      published.push({
        ...attempt.post,
        id: receipt.id,
        rootId: ids.get(rootId) ?? receipt.id,
        parentId: parentId === null ? null : (ids.get(parentId) ?? null),
        message: translate(attempt.post.message),
        mark: trueSigner(attempt.writer),
      });
    const next = feed[index + 1]?.post.createdAt ?? truth?.until ?? createdAt;
    await compare((Date.parse(next) - Date.parse(createdAt)) / 60_000);
  }
  return { ...figures, falseAtEnd, silentAtEnd, standings };
}
