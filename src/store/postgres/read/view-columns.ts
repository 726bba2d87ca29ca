/** Of rows of `entry`. They have the names of `RecordView`, so that a row is one. */
export const VIEW_COLUMNS = 'body as record, children';
