import { toSearch, type PageContext } from '#http/pages/parts/page.ts';
import { toEntry, toFence, toSignedFence, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { formatSecond, plural } from '#http/html/formats.ts';
import { marksMarkdown, verdictMarkdown } from '#http/pages/parts/marks.ts';
import { besideStanding, reviewsMarkdown, standingWords } from '#http/html/standings.ts';
import { knownMarkdown } from './known-formats.ts';
import { toKnownView } from './known-view.ts';
import { copiesMarkdown, viewerNotice, wantedMarkdown } from './thread-head.ts';
import { moreOf } from './thread-html.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

export function threadMarkdown(context: PageContext, view: ThreadView): (string | undefined)[] {
  const { href } = context;
  const { first, replies, after, count, hiddenFor, mode, isLong, hasEnded } = view;
  const isWithFirst = after === undefined && mode !== 'confirmed';
  const messages = isWithFirst ? [first, ...replies] : replies;
  const other = mode === 'confirmed' ? 'In full' : 'Only what is confirmed';
  const otherQuery = toSearch({
    view: mode === 'confirmed' ? undefined : 'confirmed',
    viewer: view.known.viewer,
  });
  const known = after === undefined ? toKnownView(view.known, hasEnded, first.createdAt) : undefined;
  return [
    `# Thread ${first.rootId}`,
    ...copiesMarkdown(view.known),
    NOTICE_MARKDOWN,
    ...(isWithFirst ? [] : [toFence(first.title), marksMarkdown(first).join(', ')]),
    plural(count, 'message'),
    viewerNotice(view.known),
    ...(after === undefined ? wantedMarkdown(view) : []),
    ...(known === undefined ? [] : knownMarkdown(known, view.references)),
    isLong ? `${other}: ${href(`/posts/${first.id}.md${otherQuery}`)}` : '',
    ...messages.map((message) => messageMarkdown(message, view)),
    hiddenFor.length === 0
      ? ''
      : `${plural(hiddenFor.length, 'message')} hidden:\n\n${toFence([...new Set(hiddenFor)].join('\n'))}`,
    moreOf(context, view)?.markdown,
  ];
}

function messageMarkdown(post: PageMessage, { heads, referrers, references }: ThreadView): string {
  const { id, prefix, parentId, createdAt, refersTo, name, message, replacedBy } = post;
  const referredToBy = referrers.get(id) ?? [];
  const others = refersTo.filter((target) => target !== parentId);
  const facts = [
    formatSecond(createdAt),
    parentId === null ? '' : `in reply to ${parentId}`,
    ...marksMarkdown(post),
    ...verdictMarkdown(post),
    standingWords(post),
    ...besideStanding(post),
    others.length === 0 ? '' : `refers to ${others.join(' ')}`,
    heads.has(replacedBy ?? '') ? `replaced by ${replacedBy}` : '',
    ...reviewsMarkdown(post),
    referredToBy.length === 0 ? '' : `referred to by ${referredToBy.map((one) => one.id).join(' ')}`,
  ];
  const number = references.numberOf(id);
  const heading = `## ${number === undefined ? '' : `#${number} `}${prefix ?? 'POST'} ${id}`;
  return toEntry(heading, facts, toSignedFence(name, message));
}
