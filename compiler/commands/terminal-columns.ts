/** Undefined where lines may be of any length: for what is no terminal, and for one that does not know its own width, which says 0. */
export function terminalColumns({ columns }: Pick<NodeJS.WriteStream, 'columns'>): number | undefined {
  return columns || undefined;
}
