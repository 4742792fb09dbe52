/**
 * The width of a terminal; undefined where lines may be of any length: for what is no terminal, and for one that does not know its own width,
 * which says 0. There `COLUMNS` says how wide what is read will be.
 */
export function findTerminalColumns(
  { columns }: Pick<NodeJS.WriteStream, 'columns'>,
  { COLUMNS = '' }: NodeJS.ProcessEnv = process.env,
): number | undefined {
  if (columns) return columns;
  return /^[1-9]\d{1,3}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}
