import type { PageContext } from '#http/pages/parts/page.ts';
import { toSearch } from '#http/pages/parts/page-query.ts';
import { toFence, toSignedFence, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { plural, formatMinute } from '#http/html/formats.ts';
import { signatureMarkdown, standingWords } from '#http/pages/parts/byline.ts';
import { createLineageFinder, type Judge, type Lineage } from './lineage.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

export function threadMarkdown({ href }: PageContext, view: ThreadView): string[] {
  const { first, replies, after, nextAfter, count, hiddenFor } = view;
  const messages = after === undefined ? [first, ...replies] : replies;
  const findLineage = createLineageFinder(view);
  const more =
    nextAfter === null ? [] : [`More: ${href(`/posts/${first.id}.md${toSearch({ after: nextAfter })}`)}`];
  return [
    `# Thread ${first.rootId}`,
    NOTICE_MARKDOWN,
    plural(count, 'message'),
    ...messages.map((message) => messageMarkdown(message, findLineage(message))),
    ...(hiddenFor.length === 0
      ? []
      : [`${plural(hiddenFor.length, 'message')} hidden:\n\n${toFence([...new Set(hiddenFor)].join('\n'))}`]),
    ...more,
  ];
}

function messageMarkdown(
  post: PageMessage,
  { replacedBy, correctedBy, reviewedBy, referredToBy }: Lineage,
): string {
  const { id, prefix, parentId, createdAt, refersTo, name, message } = post;
  const facts = [`${formatMinute(createdAt)} UTC`, ...(parentId === null ? [] : [`in reply to ${parentId}`])];
  facts.push(...signatureMarkdown(post), ...[standingWords(post)].filter(Boolean));
  const others = refersTo.filter((target) => target !== parentId);
  if (others.length > 0) facts.push(`refers to ${others.join(' ')}`);
  const referrers = Object.entries({
    'replaced by': replacedBy === undefined ? [] : [replacedBy],
    'corrected by': correctedBy,
    'reviewed by': reviewedBy,
    'referred to by': referredToBy,
  }).filter(([, list]) => list.length > 0);
  facts.push(...referrers.map(([label, list]) => `${label} ${list.map(referrerMarkdown).join(' ')}`));
  return `## ${prefix ?? 'POST'} ${id}\n\n${facts.join(', ')}\n\n${toSignedFence(name, message)}`;
}

const referrerMarkdown = ({ id, outcome }: Judge): string => (outcome == null ? id : `${id} (${outcome})`);
