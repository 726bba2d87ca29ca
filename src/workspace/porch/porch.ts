import type { CountedRecord } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { Caller, TextLimit } from '#workspace/service/caller.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { newest, readPage, textLength, type Page, type PageQuery } from '#workspace/reading/page.ts';
import type { NoteRequest, ProjectQuery, ProjectRequest, SignRequest } from '#workspace/schemas/porch.ts';
import { publish } from '#workspace/publishing/publish.ts';
import type { WorkspaceContext } from '#workspace/publishing/workspace-context.ts';

export async function readGuestbook(
  { store: { read } }: Pick<WorkspaceContext, 'store'>,
  query: PageQuery,
  textLimit: TextLimit,
) {
  const { items, next } = await readPage(read, 'guest', newest(query), textLimit);
  const { guests } = await read.totals();
  const notes = items.map(({ record }) => record);
  return { notice: NOTICE, nextBefore: next, total: guests, notes };
}

export async function listProjects(
  { store: { read } }: Pick<WorkspaceContext, 'store'>,
  query: PageQuery,
  textLimit: TextLimit,
) {
  const { items, next } = await readPage(read, 'project', newest(query), textLimit);
  const { projects } = await read.totals();
  return { notice: NOTICE, nextBefore: next, total: projects, projects: items.map(toProject) };
}

/** Reads a project and its notes, oldest first, in up to 8 MiB of JSON. @throws WorkspaceError not_found */
export async function readProject(
  { store: { read } }: Pick<WorkspaceContext, 'store'>,
  { projectId, limit, after }: ProjectQuery,
  textLimit: TextLimit,
) {
  const project = await read.find('project', projectId);
  if (project === undefined) throw projectNotFoundError(projectId);
  const query = { projectId, limit, after: floorToMicrosecond(after) };
  const { items, next } = await readNotes(read, query, textLimit);
  return {
    notice: NOTICE,
    nextAfter: next,
    project: toProject(project),
    notes: items.map(({ record }) => record),
  };
}

/** The maximum number of JSON bytes of the notes. With the project and the notice, they stay under 8 MiB. */
const MAX_NOTES_BYTES = 8 * 1024 * 1024 - 64 * 1024;
/** How many notes one read of the store returns. It blocks the event loop for 2 to 15 ms. */
const CHUNK_SIZE = 200;

/**
 * Reads the notes of a project, oldest first, up to the limit, the caller's text budget or 8 MiB of JSON. It
 * reads in chunks, with pauses, because most results end long before the last note of a large project.
 */
async function readNotes(
  read: Reader,
  { projectId, limit = Infinity, after }: ProjectQuery,
  { textBudget = Infinity }: TextLimit,
): Promise<Page<'note'>> {
  const items: CountedRecord<'note'>[] = [];
  let [cursor, bytes, characters] = [after, 0, 0];
  let isSliceOver = startSlice();
  for (;;) {
    const size = Math.min(CHUNK_SIZE, limit - items.length);
    const range = { order: 'oldest', within: projectId, after: cursor, limit: size } as const;
    const page = await readPage(read, 'note', range, { textBudget: textBudget - characters });
    for (const note of page.items) {
      bytes += Buffer.byteLength(JSON.stringify(note.record)) + 1;
      if (bytes > MAX_NOTES_BYTES) return { items, next: items.at(-1)?.record.createdAt ?? null };
      if (textBudget < Infinity) characters += textLength('note', note.record);
      items.push(note);
    }
    const isLast = page.next === null || items.length === limit || characters >= textBudget;
    if (isLast) return { items, next: page.next };
    cursor = page.next;
    if (!isSliceOver()) continue;
    await nextSlice();
    isSliceOver = startSlice();
  }
}

/** Adds a note to the guest book. @throws WorkspaceError the codes of `publish` */
export async function signGuestbook(
  context: WorkspaceContext,
  { idempotencyKey, name, kind, note }: SignRequest,
  caller: Caller,
) {
  const content = { name, kind: kind ?? null, note };
  const { stored, fields } = await publish(context, {
    kind: 'guest',
    caller,
    idempotencyKey,
    content,
    createRecord: ({ id, createdAt }) => ({ id, ...content, createdAt }),
  });
  return { ...stored.record, ...fields };
}

/** Adds a project. @throws WorkspaceError the codes of `publish` */
export async function createProject(
  context: WorkspaceContext,
  { idempotencyKey, ...input }: ProjectRequest,
  caller: Caller,
) {
  const { title, summary, by, url = null, looking_for = null } = input;
  const content = { title, summary, by, url, looking_for };
  const { stored, fields } = await publish(context, {
    kind: 'project',
    caller,
    idempotencyKey,
    content,
    createRecord: ({ id, createdAt }) => ({ id, ...content, createdAt }),
  });
  return { ...toProject(stored), ...fields };
}

/** Adds a note to a visible project. @throws WorkspaceError not_found, and the codes of `publish` */
export async function addNote(
  context: WorkspaceContext,
  { idempotencyKey, ...content }: NoteRequest,
  caller: Caller,
) {
  const { stored, fields } = await publish(context, {
    kind: 'note',
    caller,
    idempotencyKey,
    content,
    parentId: content.projectId,
    createRecord: ({ id, createdAt, parent: project }) => {
      if (project?.status !== 'visible' || project.kind !== 'project')
        throw projectNotFoundError(content.projectId);
      return { id, ...content, createdAt };
    },
  });
  return { ...stored.record, ...fields };
}

const projectNotFoundError = (id: string) => recordNotFoundError('project', id, 'the list of projects');

const toProject = ({ record, children }: CountedRecord<'project'>) => ({ ...record, noteCount: children });
