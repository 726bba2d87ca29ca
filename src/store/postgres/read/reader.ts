import type pg from 'pg';
import { MAX_CLOCK_SKEW_MS } from '#store/engine/write-history.ts';
import type { Kind, AnswerablePrefix } from '#store/records.ts';
import type { RecordView, ModerationEntry, Range, Reader, Totals } from '#store/store.ts';
import { atOnce } from '#store/postgres/connection/with-timeout.ts';
import { historyOf } from './history.ts';
import { isStorableText } from '#store/postgres/write/storable-text.ts';

const NOTHING: Totals = { posts: 0, threads: 0, byPrefix: {}, guests: 0, projects: 0 };

/** Asks one question, and tries it again on another connection where one was lost. */
export type Ask = <R extends pg.QueryResultRow>(
  name: string,
  text: string,
  values?: unknown[],
) => Promise<R[]>;

// Named as what is answered, for the rows to be that.
const KEPT = 'body as record, children';

const FIND = `select ${KEPT} from entry where id = $1 and not hidden`;

// The prefix stands in the text, for the planner to know its index.
const unanswered = (prefix: AnswerablePrefix): string => `select ${KEPT} from entry
  where prefix = '${prefix}' and not hidden and answered = 0 and prefix in ('IDEA', 'RESULT')
  order by created_at desc limit $1`;

const WINDOW = `with present as (select coalesce($5::float8, extract(epoch from clock_timestamp())::float8 * 1000) as now)
  select now - at as age from visit, present where visitor = $1 and budget = $2
  and at > now - $3 and at < now + ${MAX_CLOCK_SKEW_MS} order by at desc limit $4`;

/** @returns the statement for a stretch, its values, and a name that all stretches of that shape share. */
function stretch(
  kind: Kind,
  { within, before, after, order, limit }: Range,
): { name: string; text: string; values: unknown[] } {
  const values: unknown[] = [within ?? kind];
  const bound = (sign: string, at: string | undefined): string => {
    if (at === undefined) return '';
    values.push(at);
    return ` and created_at ${sign} $${values.length}`;
  };
  const where =
    within === undefined
      ? 'kind = $1'
      : 'parent_id = $1 and parent_id is not null and exists (select from entry where id = $1)';
  const bounds = bound('<', before) + bound('>', after);
  values.push(limit);
  const way = order === 'newest' ? 'desc' : 'asc';
  const text = `select ${KEPT} from entry where ${where} and not hidden${bounds}
    order by created_at ${way} limit $${values.length}`;
  return { name: `${where.length}${bounds}${way}`, text, values };
}

/** Answers a reader's questions, each with one statement that reads no more than it answers with. */
export function readerOf(ask: Ask, pool: pg.Pool, now: () => number | undefined): Reader {
  const clock = async (): Promise<{ totals: Totals; frozen: boolean }> => {
    const [row] = await ask<{ totals: Totals; frozen: boolean }>('clock', 'select totals, frozen from clock');
    return row ?? { totals: NOTHING, frozen: false };
  };
  return {
    async find<K extends Kind>(kind: K, id: string) {
      if (!id.startsWith(`${kind}_`) || !isStorableText(id)) return undefined;
      return (await ask<RecordView<K>>('find', FIND, [id]))[0];
    },
    page: <K extends Kind>(kind: K, range: Range) => {
      const { name, text, values } = stretch(kind, range);
      return ask<RecordView<K>>(name, text, values);
    },
    unanswered: (prefix, limit) =>
      ask<RecordView<'post'>>(`unanswered ${prefix}`, unanswered(prefix), [limit]),
    totals: async () => (await clock()).totals,
    frozen: async () => (await clock()).frozen,
    moderations: (limit) =>
      ask<ModerationEntry & pg.QueryResultRow>(
        'moderations',
        'select action, id, at, reason from moderation order by at desc limit $1',
        [limit],
      ),
    recentWriteAges: async (visitor, budget, span, limit) => {
      const rows = await atOnce(
        ask<{ age: number }>('window', WINDOW, [visitor, budget, span, limit, now() ?? null]),
      );
      return rows.map(({ age }) => age);
    },
    history: () => historyOf(pool),
  };
}
