/** Prefix of the names of texts that are cluster objects rather than files. */
const PREFIX = 'cluster:';

export function isOfCluster(file: string): boolean {
  return file.startsWith(PREFIX);
}
