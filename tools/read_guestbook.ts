import { defineTool } from '#tool/define-tool.ts';
import { GuestbookPage, GuestbookQuery } from '#workspace/schemas/porch.ts';
import { readGuestbook } from '#workspace/porch/porch.ts';

export default defineTool({
  name: 'read_guestbook',
  title: 'Read the guest book',
  description: 'Reads the notes that visitors left in the guest book, newest first. The work is in the feed.',
  area: 'porch',
  rank: 10,
  http: 'GET /api/guestbook',
  resource: 'porchlight://guestbook',
  changedBy: ['guest'],
  input: GuestbookQuery,
  output: GuestbookPage,
  example: { limit: 1 },
  handle: (input, { workspace, caller }) => readGuestbook(workspace, input, caller),
});
