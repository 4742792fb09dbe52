/** What the names of texts start with that are objects of the cluster and no files. */
const PREFIX = 'cluster:';

export function isOfCluster(file: string): boolean {
  return file.startsWith(PREFIX);
}
