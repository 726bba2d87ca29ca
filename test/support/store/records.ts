import type { RecordView, Post, WriteOrigin, Writer } from '#store/store.ts';

export interface Clock {
  now: () => number;
  /** Steps by so many milliseconds, back where they are negative. */
  advance: (ms: number) => void;
}

/** A clock that stands still until it is told. */
export function clockAt(instant: string): Clock {
  let now = Date.parse(instant);
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

let made = 0;

/** @returns an id of that kind that no other record of this run has. */
export function newId(kind: string): string {
  made += 1;
  return `${kind}_01900000-0000-7000-8000-${String(made).padStart(12, '0')}`;
}

export function aPost(message: string, given: Partial<Post> = {}): Omit<Post, 'createdAt'> {
  const id = newId('post');
  const prefix = /^(IDEA|WORK|RESULT|REVIEW|CHANGE):/.exec(message)?.[1] ?? null;
  return { id, message, prefix, parentId: null, rootId: given.parentId ?? id, answers: [], ...given };
}

export function addPost(writer: Writer, message: string, trace?: WriteOrigin): Promise<RecordView<'post'>> {
  return writer.append('post', aPost(message), trace);
}

/** A reply, which answers what it replies to. */
export function aReply(to: string, message: string, given: Partial<Post> = {}): Omit<Post, 'createdAt'> {
  return aPost(message, { parentId: to, answers: [to], ...given });
}

export function anOrigin(visitor: string, given: Partial<WriteOrigin> = {}): WriteOrigin {
  return { clientKey: visitor, limitScope: 'feed', key: null, content: 'some text', ...given };
}
