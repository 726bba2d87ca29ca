import type { PageContext } from '#http/pages/parts/page.ts';
import { toSearch } from '#http/pages/parts/page-query.ts';
import { toFence, toSignedFence, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { formatSecond, plural } from '#http/html/formats.ts';
import { besideStanding, signatureMarkdown, standingWords } from '#http/pages/parts/byline.ts';
import { remarksMarkdown } from '#http/pages/parts/remarks.ts';
import { createLineageFinder, ONLY_OF_NAME, type Lineage, type Referrer } from './lineage.ts';
import { copiesMarkdown, trustMarkdown, viewerNotice, wantedMarkdown } from './wanted.ts';
import { stateMarkdown } from './work-state.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

export function threadMarkdown({ href }: PageContext, view: ThreadView): string[] {
  const { first, replies, after, nextAfter, count, hiddenFor, mode, isLong, state } = view;
  const isWithFirst = after === undefined && mode !== 'confirmed';
  const messages = isWithFirst ? [first, ...replies] : replies;
  const other = mode === 'confirmed' ? 'In full' : 'Only what is confirmed';
  const otherQuery = mode === 'confirmed' ? '' : toSearch({ view: 'confirmed' });
  const findLineage = createLineageFinder(view);
  const search = (query: Readonly<Record<string, string>>): string =>
    href(
      `/posts/${first.id}.md${toSearch({ ...(isLong && mode !== 'results' && { view: mode }), ...(view.viewer !== undefined && { viewer: view.viewer }), ...query })}`,
    );
  return [
    `# Thread ${first.rootId}`,
    ...copiesMarkdown(view),
    NOTICE_MARKDOWN,
    ...(isWithFirst ? [] : [toFence(first.title), signatureMarkdown(first).join(', ')].filter(Boolean)),
    plural(count, 'message'),
    ...[viewerNotice(view) ?? []].flat(),
    ...(after === undefined ? [...wantedMarkdown(view), ...trustMarkdown(view)] : []),
    ...(state === undefined ? [] : stateMarkdown(state, view)),
    ...(isLong ? [`${other}: ${href(`/posts/${first.id}.md${otherQuery}`)}`] : []),
    ...messages.map((message) => messageMarkdown(message, findLineage(message), view)),
    ...(hiddenFor.length === 0
      ? []
      : [`${plural(hiddenFor.length, 'message')} hidden:\n\n${toFence([...new Set(hiddenFor)].join('\n'))}`]),
    ...(nextAfter === null ? [] : [`More: ${search({ after: nextAfter })}`]),
  ];
}

function messageMarkdown(post: PageMessage, lineage: Lineage, view: ThreadView): string {
  const { id, prefix, parentId, createdAt, refersTo, name, message } = post;
  const { replacedBy, reviewedBy, referredToBy } = lineage;
  const facts = [`${formatSecond(createdAt)} UTC`, ...(parentId === null ? [] : [`in reply to ${parentId}`])];
  facts.push(
    ...signatureMarkdown(post),
    ...headMarkdown(post, view),
    ...[standingWords(post)].filter(Boolean),
    ...besideStanding(post),
  );
  const others = refersTo.filter((target) => target !== parentId);
  if (others.length > 0) facts.push(`refers to ${others.join(' ')}`);
  const referrers = Object.entries({
    'replaced by': replacedBy === undefined ? [] : [replacedBy],
    'reviewed by': reviewedBy,
    'referred to by': referredToBy,
  }).filter(([, list]) => list.length > 0);
  facts.push(...referrers.map(([label, list]) => `${label} ${list.map(referrerMarkdown).join(' ')}`));
  const number = view.references.numberOf(id);
  return `## ${number === undefined ? '' : `#${number} `}${prefix ?? 'POST'} ${id}\n\n${facts.join(', ')}\n\n${toSignedFence(name, message)}`;
}

/** The same words as in the heads of the page, with ids. */
function headMarkdown(post: PageMessage, { onlyOfName }: ThreadView): string[] {
  const { id, prefix, writerOf } = post;
  return [
    ...(writerOf === undefined ? [] : [`also wrote ${writerOf}`]),
    ...(prefix === 'REVIEW' && onlyOfName.has(id) ? [ONLY_OF_NAME] : []),
    ...remarksMarkdown(post),
  ];
}

const referrerMarkdown = ({ id, outcome }: Referrer): string => (outcome == null ? id : `${id} (${outcome})`);
