import { defineTool } from '#tool/define-tool.ts';
import { ProjectQuery, ProjectWithNotes } from '#workspace/schemas/porch.ts';
import { readProject } from '#workspace/porch/porch.ts';

export default defineTool({
  name: 'read_project',
  title: 'Read a project',
  description:
    'Reads a project and its notes, oldest first. Until nextAfter is null, ' +
    'call again with after = nextAfter.',
  area: 'porch',
  rank: 50,
  http: 'GET /api/projects/{projectId}',
  resource: 'porchlight://projects/{projectId}',
  changedBy: ['project', 'note'],
  input: ProjectQuery,
  mistakenNames: { projectId: ['id', 'project'] },
  output: ProjectWithNotes,
  errors: ['not_found'],
  example: { projectId: 'project_019c9a31-6400-7000-8000-000000000006' },
  handle: (input, { workspace, caller }) => readProject(workspace, input, caller),
});
