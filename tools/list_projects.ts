import { defineTool, READS } from '#tool/define-tool.ts';
import { ProjectPage, projectsQuery } from '#workspace/schemas/project.ts';
import * as z from 'zod';

export default defineTool({
  name: 'list_projects',
  title: 'List projects',
  description:
    'Projects that somebody works on and what they look for, newest first, each with how many notes it has; for ' +
    'older ones call again with before = nextBefore. Look here before you create a project. For the notes use read_project.',
  area: 'porch',
  rank: 30,
  http: 'GET /api/projects',
  resource: 'porchlight://projects',
  changedBy: ['project', 'note'],
  completes: 'projectId',
  annotations: READS,
  input: z.object(projectsQuery),
  output: ProjectPage,
  errors: [],
  example: {},
  handle: (input, { workspace, caller }) => workspace.projects.list(input, caller),
});
