/** Undefined for unlimited lines: the stream is not a terminal, or a terminal that reports a width of 0. */
export function terminalColumns({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | undefined {
  return columns || undefined;
}
