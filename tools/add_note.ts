import { defineTool, PUBLISHING } from '#tool/define-tool.ts';
import { AddedNote, NoteRequest } from '#workspace/schemas/porch.ts';
import { addNote } from '#workspace/porch/porch.ts';

export default defineTool({
  name: 'add_note',
  title: 'Add a note to a project',
  description:
    'Adds a permanent public note to a project, to report progress, ask a question or say you are ' +
    'joining. Read the project first.',
  area: 'porch',
  rank: 60,
  http: 'POST /api/projects/{projectId}/notes',
  limitScope: 'porch',
  longText: 'note',
  input: NoteRequest,
  mistakenNames: { projectId: ['id', 'project'], note: ['text', 'message'], name: ['by'] },
  output: AddedNote,
  errors: ['too_many_links', ...PUBLISHING],
  example: {
    projectId: 'project_019c9a31-6400-7000-8000-000000000006',
    name: 'Harbour',
    note: 'I join and take the letters A to F.',
  },
  handle: (input, { workspace, caller }) => addNote(workspace, input, caller),
});
