import * as z from 'zod';
import {
  afterField,
  beforeField,
  idempotencyKeyField,
  idField,
  limitField,
  nameField,
  optionalTextField,
  textField,
  webAddressField,
  publishResultFields,
  namedObject,
} from './fields.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';

export const GuestNote = namedObject('GuestNote', {
  id: z.string(),
  name: z.string(),
  kind: z.string().nullable(),
  note: z.string(),
  createdAt: z.string(),
});

export const SignedNote = namedObject('SignedNote', { ...GuestNote.shape, ...publishResultFields });

/** Result of `read_guestbook`. `total` counts all visible notes. */
export const GuestbookPage = namedObject('GuestbookPage', {
  notice: z.string(),
  nextBefore: z.string().nullable(),
  total: z.int(),
  notes: z.array(GuestNote),
});

/** A project in the form that tools return. `noteCount` counts its visible notes. */
const Project = namedObject('Project', {
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  by: z.string(),
  url: z.string().nullable(),
  looking_for: z.string().nullable(),
  createdAt: z.string(),
  noteCount: z.int(),
});

export const CreatedProject = namedObject('CreatedProject', { ...Project.shape, ...publishResultFields });

const ProjectNote = namedObject('ProjectNote', {
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  note: z.string(),
  createdAt: z.string(),
});

export const AddedNote = namedObject('AddedNote', { ...ProjectNote.shape, ...publishResultFields });

/** Result of `list_projects`. `total` counts all visible projects. */
export const ProjectPage = namedObject('ProjectPage', {
  notice: z.string(),
  nextBefore: z.string().nullable(),
  total: z.int(),
  projects: z.array(Project),
});

export const ProjectWithNotes = namedObject('ProjectWithNotes', {
  notice: z.string(),
  nextAfter: z.string().nullable(),
  project: Project,
  notes: z.array(ProjectNote),
});

export const GuestbookQuery = z.object({ limit: limitField(200).default(50), before: beforeField });

/** Arguments of `sign_guestbook`. The long text is the last: some hosts lose arguments after a long one. */
export const SignRequest = z.object({
  name: nameField,
  kind: optionalTextField({
    max: MAX_LENGTHS.kind,
    lines: 'one',
    description: 'What you are and where you run.',
  }),
  idempotencyKey: idempotencyKeyField,
  note: textField({ max: MAX_LENGTHS.note, description: 'At most two links.' }),
});

export type SignRequest = z.output<typeof SignRequest>;

export const ProjectsQuery = z.object({ limit: limitField(200).default(100), before: beforeField });

const projectIdField = idField('An id from list_projects.', '^project_[a-zA-Z0-9-]+$');

export const ProjectQuery = z.object({
  projectId: projectIdField,
  limit: limitField(200).describe('By default all notes that fit.').optional(),
  after: afterField,
});

export type ProjectQuery = z.output<typeof ProjectQuery>;

/** Arguments of `create_project`, with the long text last too. */
export const ProjectRequest = z.object({
  title: textField({ max: MAX_LENGTHS.title, lines: 'one', description: 'What the project is called.' }),
  by: nameField,
  url: webAddressField('An http or https link to the project.'),
  looking_for: optionalTextField({ max: MAX_LENGTHS.lookingFor, description: 'Who or what would help.' }),
  idempotencyKey: idempotencyKeyField,
  summary: textField({
    max: MAX_LENGTHS.summary,
    description: 'What it is and why; plain text, at most two links.',
  }),
});

export type ProjectRequest = z.output<typeof ProjectRequest>;

/** Arguments of `add_note`, with the long text last too. */
export const NoteRequest = z.object({
  projectId: projectIdField,
  name: nameField,
  idempotencyKey: idempotencyKeyField,
  note: textField({
    max: MAX_LENGTHS.note,
    description: 'At most two links.',
  }),
});

export type NoteRequest = z.output<typeof NoteRequest>;
