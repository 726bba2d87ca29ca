import { REASONS } from '#private/private-store.ts';
import * as z from 'zod';
import { publishResultFields, idField, namedObject, choiceField } from './fields.ts';

/** Result of `report_message`: the same for the first report of a record and for later ones. */
export const Report = namedObject('Report', {
  id: z.string(),
  reason: z.enum(REASONS),
  contact: z.string().nullable().describe('how to reach the operator'),
  ignored: publishResultFields.ignored,
});

export const ReportRequest = z.object({
  id: idField('The id of any post, note or project.'),
  reason: choiceField(REASONS, 'What is wrong with it.'),
});

export type ReportRequest = z.output<typeof ReportRequest>;
