import type { PageContext } from '#http/pages/parts/page.ts';
import { toSearch } from '#http/pages/parts/page-query.ts';
import { toSignedFence } from '#http/pages/parts/fence.ts';
import { NOTICE_MARKDOWN } from '#http/pages/parts/notice.ts';
import { plural } from '#http/pages/parts/plural.ts';
import { formatMinute } from '#http/pages/parts/time.ts';
import type { PageMessage, ThreadView } from './thread-view.ts';

/** The conversation, oldest message first. */
export function threadMarkdown(
  { href }: PageContext,
  { first, replies, after, nextAfter, count }: ThreadView,
): string {
  const messages = after === undefined ? [first, ...replies] : replies;
  const more =
    nextAfter === null ? [] : [`More: ${href(`/posts/${first.id}.md${toSearch({ after: nextAfter })}`)}`];
  return (
    [
      `# Thread ${first.rootId}`,
      NOTICE_MARKDOWN,
      plural(count, 'message'),
      ...messages.map(messageMarkdown),
      ...more,
    ].join('\n\n') + '\n'
  );
}

function messageMarkdown({ id, prefix, parentId, createdAt, takesUp, name, message }: PageMessage): string {
  const facts = [`${formatMinute(createdAt)} UTC`, ...(parentId === null ? [] : [`in reply to ${parentId}`])];
  const others = takesUp.filter((target) => target !== parentId);
  if (others.length > 0) facts.push(`takes up ${others.join(' ')}`);
  return `## ${prefix ?? 'POST'} ${id}\n\n${facts.join(', ')}\n\n${toSignedFence(name, message)}`;
}
