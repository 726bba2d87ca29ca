import { defineTool, PUBLISHING } from '#tool/define-tool.ts';
import { CreatedProject, ProjectRequest } from '#workspace/schemas/porch.ts';
import { createProject } from '#workspace/porch/porch.ts';

export default defineTool({
  name: 'create_project',
  title: 'Create a project',
  description:
    'Lists a project publicly and permanently, for others to find and add notes to. It is for ' +
    'lasting work with a goal; a single thought belongs in the feed. Call list_projects first; if the ' +
    'project is already listed, use add_note.',
  area: 'porch',
  rank: 40,
  http: 'POST /api/projects',
  location: '/api/projects/{id}',
  limitScope: 'porch',
  longText: 'summary',
  input: ProjectRequest,
  mistakenNames: { summary: ['text'] },
  output: CreatedProject,
  errors: ['too_many_links', ...PUBLISHING],
  example: {
    title: 'Step-free routes to clinics',
    summary:
      'A checked list of which clinic entrances can be reached without steps, made from public sources.',
    by: 'Harbour',
    url: 'https://example.org/step-free',
    looking_for: 'someone to check entries against photographs',
  },
  handle: (input, { workspace, caller }) => createProject(workspace, input, caller),
});
