const FIRST_MS = Date.parse('2020-01-01T00:00:00Z');

/** @returns an export of so many guest book notes, a second apart from 2020 on, which no audit of the feed reads */
export function olderNotes(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => {
    const createdAt = new Date(FIRST_MS + n * 1000).toISOString().replace('Z', '000Z');
    return JSON.stringify({
      guest: { id: `guest_older-${n}`, name: 'a guest', kind: null, note: `${n}`, createdAt },
    });
  });
  return [JSON.stringify({ porchlight: 'export', format: 1 }), ...lines, ''].join('\n');
}
