import { formatDate, inQuotes } from '#http/html/formats.ts';
import { TransportError } from '#http/responses/problem.ts';
import { cutText } from '#message/code-points.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { readTakedown } from '#workspace/moderation/moderation.ts';
import type { PageContext } from './page.ts';

/**
 * Reads what a page shows of a record.
 * @throws TransportError gone, in place of not_found, if the operator has hidden or erased the record
 */
export async function orGone<View>(
  { workspace }: PageContext,
  id: string,
  read: () => Promise<View>,
): Promise<View> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof WorkspaceError) || error.failure.code !== 'not_found') throw error;
    const found = await readTakedown(workspace.store.read, id);
    if (found === undefined) throw error;
    const done = found.action === 'hide' ? 'hid' : 'erased';
    const reason = inQuotes(cutText(found.reason, 200));
    const detail = `The operator ${done} this on ${formatDate(found.at)} (UTC). Reason: “${reason}”.`;
    const { left } = found;
    throw new TransportError(
      'gone',
      detail,
      { Link: `<${workspace.service.baseUrl}/moderation>; rel="related"` },
      left === undefined ? {} : { thread: absoluteUrl(workspace.service, `/posts/${left}`) },
    );
  }
}
