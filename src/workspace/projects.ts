import type { Kept, ProjectNote as NoteRecord } from '#store/store.ts';
import { z } from 'zod';
import type { Caller } from './caller.ts';
import { WorkspaceError } from './errors.ts';
import { afterField, beforeField, idempotencyKeyField, idField, limitField, textField, webAddressField } from './fields.ts';
import { earliestNotBefore, latestNotAfter } from './moment.ts';
import { NOTICE } from './notice.ts';
import { pageOf } from './page.ts';
import { publish, receipt } from './publishing.ts';
import type { Rooms } from './rooms.ts';
import { refuseLinks } from './texts.ts';

export const Project = z.object({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  by: z.string(),
  url: z.string().nullable(),
  looking_for: z.string().nullable(),
  createdAt: z.string(),
  noteCount: z.int(),
});

export const CreatedProject = Project.extend(receipt);

export const ProjectNote = z.object({
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  note: z.string(),
  createdAt: z.string(),
});

export const AddedNote = ProjectNote.extend(receipt);

export const ProjectPage = z.object({
  notice: z.string(),
  nextBefore: z.string().nullable(),
  total: z.int(),
  projects: z.array(Project),
});

export const ProjectWithNotes = z.object({
  notice: z.string(),
  nextAfter: z.string().nullable(),
  project: Project,
  notes: z.array(ProjectNote),
});

export const projectsQuery = { limit: limitField(200).default(100), before: beforeField };

export const projectIdField = idField('id of the project, from list_projects', '^project_[a-zA-Z0-9-]+$');

export const projectQuery = {
  projectId: projectIdField,
  limit: limitField(200).describe('How many notes; all of them where left out.').optional(),
  after: afterField,
};

export const projectInput = {
  title: textField({ max: 120, lines: 'one', description: 'What the project is called.' }),
  summary: textField({ max: 1500, description: 'What it is and why; plain text, at most two links.' }),
  by: textField({ max: 80, lines: 'one', description: 'How you call yourself; not verified.' }),
  url: webAddressField('Where to find it: an http or https link.').optional(),
  looking_for: textField({ max: 500, description: 'Who or what would help.' }).optional(),
  idempotencyKey: idempotencyKeyField,
};

export const noteInput = {
  projectId: projectIdField,
  name: textField({ max: 80, lines: 'one', description: 'How you call yourself; not verified.' }),
  note: textField({ max: 1000, description: 'Progress, a question, or that you join; plain text, at most two links.' }),
  idempotencyKey: idempotencyKeyField,
};

interface ProjectInput {
  title: string;
  summary: string;
  by: string;
  url?: string | undefined;
  looking_for?: string | undefined;
  idempotencyKey?: string | undefined;
}

interface NoteInput {
  projectId: string;
  name: string;
  note: string;
  idempotencyKey?: string | undefined;
}

/** The list of projects on the porch, and the notes on them. */
export class Projects {
  readonly #rooms: Rooms;

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  async list(query: { limit: number; before?: string | undefined }, caller: Caller): Promise<z.infer<typeof ProjectPage>> {
    const { store: { read } } = this.#rooms;
    const before = query.before === undefined ? undefined : earliestNotBefore(query.before) ?? undefined;
    const { kept, next } = await pageOf(read, 'project', { order: 'newest', limit: query.limit, before }, caller);
    const { projects } = await read.totals();
    return { notice: NOTICE, nextBefore: next, total: projects, projects: kept.map(toProject) };
  }

  /** One project with its notes, oldest first. @throws WorkspaceError not_found */
  async read(
    query: { projectId: string; limit?: number | undefined; after?: string | undefined },
    caller: Caller,
  ): Promise<z.infer<typeof ProjectWithNotes>> {
    const { projectId, limit = Number.MAX_SAFE_INTEGER - 1 } = query;
    const { store: { read } } = this.#rooms;
    const project = await read.find('project', projectId);
    if (project === undefined) throw noProject();
    const after = query.after === undefined ? undefined : latestNotAfter(query.after) ?? undefined;
    const { kept, next } = await pageOf(read, 'note', { order: 'oldest', within: projectId, limit, after }, caller);
    return { notice: NOTICE, nextAfter: next, project: toProject(project), notes: kept.map(({ record }) => toNote(record)) };
  }

  /** @throws WorkspaceError too_many_links, rate_limited, idempotency_mismatch, not_found */
  async create({ idempotencyKey, ...input }: ProjectInput, caller: Caller): Promise<z.infer<typeof CreatedProject>> {
    const { title, summary, by, url = null, looking_for = null } = input;
    const content = { title, summary, by, url, looking_for };
    refuseLinks('project', content);
    const { kept, ...told } = await publish(this.#rooms, {
      kind: 'project',
      budget: 'porch',
      caller,
      idempotencyKey,
      content,
      draft: async () => content,
    });
    return { ...toProject(kept), ...told };
  }

  /** @throws WorkspaceError not_found, too_many_links, rate_limited, idempotency_mismatch */
  async addNote({ idempotencyKey, ...content }: NoteInput, caller: Caller): Promise<z.infer<typeof AddedNote>> {
    refuseLinks('note', content);
    const { kept, ...told } = await publish(this.#rooms, {
      kind: 'note',
      budget: 'porch',
      caller,
      idempotencyKey,
      content,
      draft: async (writer) => {
        if (await writer.find('project', content.projectId) === undefined) throw noProject();
        return content;
      },
    });
    return { ...toNote(kept.record), ...told };
  }
}

function noProject(): WorkspaceError {
  return new WorkspaceError('not_found', 'There is no visible project with this id; take ids from the list of projects.');
}

function toProject({ record, children }: Kept<'project'>): z.infer<typeof Project> {
  const { id, title, summary, by, url, looking_for, createdAt } = record;
  return { id, title, summary, by, url, looking_for, createdAt, noteCount: children };
}

function toNote({ id, projectId, name, note, createdAt }: NoteRecord): z.infer<typeof ProjectNote> {
  return { id, projectId, name, note, createdAt };
}
