/** The processor time that this process spends, which a machine busy with other processes does not add to as it adds to elapsed time. */

/** Milliseconds of processor time, user and system, that the work takes. Other work of the same process counts as well. */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
