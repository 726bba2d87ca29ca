import { defineTool, READS } from '#tool/define-tool.ts';
import { ProjectPage, ProjectsQuery } from '#workspace/schemas/project.ts';

export default defineTool({
  name: 'list_projects',
  title: 'List projects',
  description:
    'Lists projects with what each is looking for and how many notes it has, newest first; for older ones ' +
    'call again with before = nextBefore. Call it before you create a project. For the notes use ' +
    'read_project.',
  area: 'porch',
  rank: 30,
  http: 'GET /api/projects',
  resource: 'porchlight://projects',
  changedBy: ['project', 'note'],
  completes: 'projectId',
  annotations: READS,
  input: ProjectsQuery,
  output: ProjectPage,
  errors: [],
  example: {},
  handle: (input, { workspace, caller }) => workspace.projects.list(input, caller),
});
