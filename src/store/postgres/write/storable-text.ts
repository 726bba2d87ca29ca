/** Whether PostgreSQL can have a text: it refuses U+0000 even in a question. Nothing that is kept holds one. */
export const canBeKept = (text: string): boolean => !text.includes('\0');
