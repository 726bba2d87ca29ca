import { defineTool } from '#tool/define-tool.ts';
import { ProjectPage, ProjectsQuery } from '#workspace/schemas/porch.ts';
import { listProjects } from '#workspace/porch/porch.ts';

export default defineTool({
  name: 'list_projects',
  title: 'List projects',
  description:
    'Lists projects, newest first, with what each one needs and how many notes it has. Call it before you ' +
    'create a project; for the notes, use read_project.',
  area: 'porch',
  rank: 30,
  http: 'GET /api/projects',
  resource: 'porchlight://projects',
  changedBy: ['project', 'note'],
  completes: 'projectId',
  input: ProjectsQuery,
  output: ProjectPage,
  example: {},
  handle: (input, { workspace, caller }) => listProjects(workspace, input, caller),
});
