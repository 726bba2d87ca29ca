import type { RecordView, ProjectNote as NoteRecord, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Caller, TextLimit } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { newest, readPage, textLength, type Page, type PageQuery } from '#workspace/reading/page.ts';
import type {
  AddedNote,
  CreatedProject,
  NoteRequest,
  Project,
  ProjectNote,
  ProjectPage,
  ProjectQuery,
  ProjectRequest,
  ProjectWithNotes,
} from '#workspace/schemas/project.ts';
import { publish, type Receipt } from '#workspace/publishing/publish.ts';
import type { WorkspaceContext } from '#workspace/publishing/workspace-context.ts';
import { refuseLinks } from '#workspace/publishing/record-checks.ts';

export async function listProjects(
  { store: { read } }: Pick<WorkspaceContext, 'store'>,
  query: PageQuery,
  textLimit: TextLimit,
): Promise<z.infer<typeof ProjectPage>> {
  const { items, next } = await readPage(read, 'project', newest(query), textLimit);
  const { projects } = await read.totals();
  return { notice: NOTICE, nextBefore: next, total: projects, projects: items.map(toProject) };
}

/**
 * Reads a project and as many of its notes as `readNotes` returns, oldest first.
 * @throws WorkspaceError not_found
 */
export async function readProject(
  { store: { read } }: Pick<WorkspaceContext, 'store'>,
  query: ProjectQuery,
  textLimit: TextLimit,
): Promise<z.infer<typeof ProjectWithNotes>> {
  const { projectId, limit } = query;
  const project = await read.find('project', projectId);
  if (project === undefined) throw recordNotFoundError('project', projectId, 'the list of projects');
  const after = query.after === undefined ? undefined : (floorToMicrosecond(query.after) ?? undefined);
  const { items, next } = await readNotes(read, { projectId, limit, after }, textLimit);
  return {
    notice: NOTICE,
    nextAfter: next,
    project: toProject(project),
    notes: items.map(({ record }) => toNote(record)),
  };
}

/** Adds a project. @throws WorkspaceError too_many_links, and the codes of `publish` */
export async function createProject(
  context: WorkspaceContext,
  { idempotencyKey, ...input }: ProjectRequest,
  caller: Caller,
): Promise<Receipt<typeof CreatedProject>> {
  const { title, summary, by, url = null, looking_for = null } = input;
  const content = { title, summary, by, url, looking_for };
  refuseLinks('project', content);
  const { stored, receipt } = await publish(context, {
    kind: 'project',
    limitScope: 'porch',
    caller,
    idempotencyKey,
    content,
    createRecord: ({ id, createdAt }) => ({ id, ...content, createdAt }),
  });
  return { ...toProject(stored), ...receipt };
}

/**
 * Adds a note to a visible project.
 * @throws WorkspaceError not_found, too_many_links, and the codes of `publish`
 */
export async function addNote(
  context: WorkspaceContext,
  { idempotencyKey, ...content }: NoteRequest,
  caller: Caller,
): Promise<Receipt<typeof AddedNote>> {
  refuseLinks('note', content);
  const { stored, receipt } = await publish(context, {
    kind: 'note',
    limitScope: 'porch',
    caller,
    idempotencyKey,
    content,
    parentId: content.projectId,
    createRecord: ({ id, createdAt, parent: project }) => {
      if (project?.status !== 'visible' || project.kind !== 'project')
        throw recordNotFoundError('project', content.projectId, 'the list of projects');
      return { id, ...content, createdAt };
    },
  });
  return { ...toNote(stored.record), ...receipt };
}

function toProject({ record, children }: RecordView<'project'>): z.infer<typeof Project> {
  const { id, title, summary, by, url, looking_for, createdAt } = record;
  return { id, title, summary, by, url, looking_for, createdAt, noteCount: children };
}

function toNote({ id, projectId, name, note, createdAt }: NoteRecord): z.infer<typeof ProjectNote> {
  return { id, projectId, name, note, createdAt };
}

/** JSON bytes of the notes of one result. With the project and the notice, the result stays under 8 MiB. */
const MAX_NOTES_BYTES = 8 * 1024 * 1024 - 64 * 1024;

/** Notes of one read of the store. */
const CHUNK_SIZE = 1000;

interface NotesQuery {
  readonly projectId: string;
  /** Undefined: as many as fit. */
  readonly limit: number | undefined;
  /** Exclusive. */
  readonly after: Timestamp | undefined;
}

/**
 * Reads the notes of a project, oldest first, up to the limit, the caller's text budget or 8 MiB of JSON. It
 * reads in chunks, since most results end long before the last note of a large project.
 */
async function readNotes(
  read: Reader,
  { projectId, limit = Infinity, after }: NotesQuery,
  { textBudget }: TextLimit,
): Promise<Page<'note'>> {
  const items: RecordView<'note'>[] = [];
  let cursor = after;
  let bytes = 0;
  let characters = 0;
  for (;;) {
    const size = Math.min(CHUNK_SIZE, limit - items.length);
    const range = { order: 'oldest', within: projectId, after: cursor } as const;
    const found = await read.page('note', { ...range, limit: size + 1 });
    for (const [index, note] of found.slice(0, size).entries()) {
      bytes += Buffer.byteLength(JSON.stringify(note.record)) + 1;
      if (bytes > MAX_NOTES_BYTES) return { items, next: cursor ?? null };
      items.push(note);
      cursor = note.record.createdAt;
      if (textBudget === undefined) continue;
      characters += textLength('note', note.record);
      const isLast = index === found.length - 1;
      if (characters >= textBudget) return { items, next: isLast ? null : cursor };
    }
    if (found.length <= size) return { items, next: null };
    if (items.length === limit) return { items, next: cursor ?? null };
  }
}
