import { countsAsStep, toHeld, WINDOW, windowOf, type Step, type StepFacts } from '#message/step.ts';
import { nextSlice } from '#runtime/slice.ts';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { readRow, type RunQuery } from './run-query.ts';

const PAGE_ROWS = 1000;
/** The most attempts to read a list that does not change meanwhile. After them it is returned as it is. */
const MAX_TRIES = 3;

const STEP = `id, prefix, created_at as "createdAt", parent_id as "parentId", root_id as "rootId",
  step, hidden, case when root_id = id then lower(body ->> 'mark')
    else coalesce((select lower(root.body ->> 'mark') from entry as root where root.id = entry.root_id),
      (select lower(mark) from moderation where moderation.id = entry.root_id and action = 'erase'
        and mark is not null limit 1)) end as opener`;

/** Whether a post is visible, or hidden by reports and not by the operator. */
const VISIBLE_OR_HELD = `(not hidden or exists (
      select from (select action, reason from moderation
        where moderation.id = entry.id and action <> 'erase'
        order by at desc, arrival desc limit 1) as deciding
      where action = 'hide' and starts_with(reason, '${HOLD_PREFIX}')))`;

const OLDER = `select ${STEP} from entry
  where step is not null and ${VISIBLE_OR_HELD} and created_at < $1 order by created_at desc limit $2`;

/** Rows that are read for each step that a window lacks, since not all of them count. */
const OLDER_ROWS = 50;
/** If more than this has changed, all steps are read again. */
const MAX_CHANGED = 200;

// What arrived hidden is in no index of arrivals, but there are few hidden posts.
const CHANGED = `select id from (
    select id from entry where not hidden and arrival > $1 and created_at <= $2
    union select id from entry where hidden and root_id is not null and arrival > $1
    union select id from moderation where arrival > $1
  ) as changed limit ${MAX_CHANGED + 1}`;

const NAMED = `select ${STEP} from entry where step is not null and ${VISIBLE_OR_HELD} and id = any($1)`;

// One statement, for one instant. A database that takes over may lack the newest step.
const LATER = `select rearranged::float8, arrived::float8,
    $2 = '' or exists (select from entry where id = $2 and ${VISIBLE_OR_HELD}) as "hasNewest",
    (select coalesce(json_agg(later), '[]') from (
      select ${STEP} from entry where step is not null and ${VISIBLE_OR_HELD} and created_at > $1
        order by created_at limit ${PAGE_ROWS}
    ) as later) as steps
  from clock`;

interface StepRow extends Omit<Step, keyof StepFacts | 'opener'> {
  readonly step: StepFacts;
  /** Whether reports hide it. A post that the operator has hidden is not a step. */
  readonly hidden: boolean;
  /** Null if the first post of its thread is not signed. */
  readonly opener: string | null;
}

interface LaterRow {
  /** Counts the changes that do more than add a latest post. */
  readonly rearranged: number;
  readonly arrived: number;
  readonly hasNewest: boolean;
  readonly steps: readonly StepRow[];
}

interface CachedSteps extends Pick<LaterRow, 'rearranged' | 'arrived'> {
  readonly steps: Step[];
}

/** Caches the steps, and reads only newer ones and those that have changed. */
export function createReadSteps(runQuery: RunQuery): () => Promise<readonly Step[]> {
  let last: CachedSteps | undefined;
  return async () => {
    for (let tries = 1; ; tries++) {
      const cached = last ?? (await readAll(runQuery));
      const row = await readLater(runQuery, cached.steps.at(-1));
      const isCurrent = row.hasNewest && row.rearranged === cached.rearranged;
      if (isCurrent) last = withLater(cached, row);
      else last = row.rearranged > cached.rearranged ? await readChanged(runQuery, cached, row) : undefined;
      if (isCurrent && row.steps.length < PAGE_ROWS) return last?.steps ?? [];
      if (!isCurrent && tries >= MAX_TRIES) return cached.steps;
    }
  };
}

async function readAll(runQuery: RunQuery): Promise<CachedSteps> {
  const { rearranged, arrived } = await readLater(runQuery, undefined, '~');
  return { rearranged, arrived, steps: await addOlder(runQuery, []) };
}

/** @returns the known steps with all changes up to a later read; undefined if all must be read again */
async function readChanged(
  runQuery: RunQuery,
  cached: CachedSteps,
  { rearranged, arrived }: LaterRow,
): Promise<CachedSteps | undefined> {
  const newest = cached.steps.at(-1)?.createdAt ?? '';
  const rows = await runQuery<{ id: string }>('changed posts', CHANGED, [cached.arrived, newest]);
  if (rows.length > MAX_CHANGED) return undefined;
  const changed = new Set(rows.map(({ id }) => id));
  const kept = cached.steps.filter(({ id }) => !changed.has(id));
  // If a first message has changed, one step of its thread says who opened it.
  const samples = new Map(kept.flatMap((one) => (changed.has(one.rootId) ? [[one.rootId, one]] : [])));
  const ids = [...changed, ...Array.from(samples.values(), ({ id }) => id)];
  const read = (await runQuery<StepRow>('named steps', NAMED, [ids])).map(toStep);
  const openers = new Map(read.map(({ id, opener }) => [id, opener]));
  if ([...samples.values()].some(({ id, opener }) => openers.get(id) !== opener)) return undefined;
  const added = read.filter(({ id, createdAt }) => changed.has(id) && createdAt <= newest);
  const steps = [...kept, ...added].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  await nextSlice();
  return { rearranged, arrived, steps: await addOlder(runQuery, steps) };
}

async function addOlder(runQuery: RunQuery, steps: readonly Step[]): Promise<Step[]> {
  let found = steps;
  for (let isOver = false; !isOver && found.length < WINDOW.all; ) {
    const missing = WINDOW.steps - found.filter(countsAsStep).length;
    if (missing <= 0) break;
    // Usually one step is missing, because one was hidden.
    const limit = Math.min(PAGE_ROWS, OLDER_ROWS * missing);
    const rows = await runQuery<StepRow>('older steps', OLDER, [found[0]?.createdAt ?? '~', limit]);
    found = [...rows.map(toStep).reverse(), ...found];
    isOver = rows.length < limit;
  }
  return windowOf(found, countsAsStep);
}

function readLater(
  runQuery: RunQuery,
  newest: Step | undefined,
  after = newest?.createdAt ?? '',
): Promise<LaterRow> {
  return readRow(runQuery, 'later steps', LATER, [after, newest?.id ?? '']);
}

function withLater(cached: CachedSteps, { rearranged, arrived, steps: later }: LaterRow): CachedSteps {
  // Another read may have added some of them meanwhile.
  const newest = cached.steps.at(-1)?.createdAt ?? '';
  cached.steps.push(...later.filter(({ createdAt }) => createdAt > newest).map(toStep));
  const { steps } = cached;
  const isLong = steps.length > WINDOW.all + WINDOW.steps;
  return { rearranged, arrived, steps: isLong ? windowOf(steps, countsAsStep) : steps };
}

function toStep({ step: facts, hidden, opener, ...head }: StepRow): Step {
  const step = Object.assign(head, facts, opener === null ? {} : { opener });
  return hidden ? toHeld(step) : step;
}
