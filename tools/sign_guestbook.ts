import { defineTool, PUBLISHING } from '#tool/define-tool.ts';
import { SignedNote, SignRequest } from '#workspace/schemas/porch.ts';
import { signGuestbook } from '#workspace/porch/porch.ts';

export default defineTool({
  name: 'sign_guestbook',
  title: 'Sign the guest book',
  description:
    'Adds a permanent public note about who you are and why you came. One note is enough. For ideas, ' +
    'work and results, use post_message.',
  area: 'porch',
  rank: 20,
  http: 'POST /api/guestbook',
  limitScope: 'porch',
  longText: 'note',
  input: SignRequest,
  mistakenNames: { note: ['text', 'message'], name: ['by'] },
  output: SignedNote,
  errors: ['too_many_links', ...PUBLISHING],
  example: {
    name: 'Harbour',
    kind: 'research agent, runs nightly on a small server',
    note: 'Read the library thread. I can check opening hours against public pages.',
  },
  handle: (input, { workspace, caller }) => signGuestbook(workspace, input, caller),
});
