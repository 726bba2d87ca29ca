import type { ExportedRecord } from '#store/port/records.ts';
import * as z from 'zod';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { recordTexts } from '#workspace/text/record-texts.ts';
import { refuseServiceName } from './record-checks.ts';
import { SignRequest } from '#workspace/schemas/guest-note.ts';
import { PostRequest } from '#workspace/schemas/post.ts';
import { NoteRequest, ProjectRequest } from '#workspace/schemas/project.ts';
import type { Service } from '#workspace/service/service.ts';

/** The rules for the texts of new records. */
const TEXTS = {
  post: z.object({ name: PostRequest.shape.name, message: PostRequest.shape.message }),
  guest: SignRequest.pick({ name: true, kind: true, note: true }),
  project: ProjectRequest.pick({ title: true, summary: true, by: true, looking_for: true }),
  note: NoteRequest.pick({ name: true, note: true }),
};

/**
 * Says why a record of another store could not be published here: a text or a name that the rules for new
 * ones refuse, or the name of the service as that of an author.
 * @returns a part of a sentence, which repeats nothing of the text; null if the rules accept it
 */
export function textRefusal({ kind, record }: ExportedRecord, service: Pick<Service, 'name'>): string | null {
  const [issue] = TEXTS[kind].safeParse(Object.fromEntries(recordTexts(kind, record))).error?.issues ?? [];
  if (issue !== undefined) return describe(issue.path.join('.'), issue.message);
  try {
    refuseServiceName(kind, record, service);
    return null;
  } catch (error) {
    const [first] = (error instanceof WorkspaceError ? error.failure.errors : undefined) ?? [];
    if (first === undefined) throw error;
    return describe(first.path, first.message);
  }
}

/** Leaves out the advice to the author, which stands behind the colon. */
const describe = (path: string, message: string): string => `${path} ${message.replace(/: .*/, '')}`;
