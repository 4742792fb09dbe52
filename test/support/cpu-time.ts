/** The processor time of this process, which other processes on a busy machine affect less than elapsed time. */

/** Milliseconds of user and system processor time of the work. Other work of the same process counts too. */
export function measureCpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
