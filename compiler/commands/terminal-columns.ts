/**
 * The width of a terminal. Undefined when lines may have any length: for a stream that is not a terminal, and for a terminal that reports a
 * width of 0. In these cases `COLUMNS` may set the width.
 */
export function findTerminalColumns(
  { columns }: Pick<NodeJS.WriteStream, 'columns'>,
  { COLUMNS = '' }: NodeJS.ProcessEnv = process.env,
): number | undefined {
  if (columns) return columns;
  return /^[1-9]\d{1,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}
