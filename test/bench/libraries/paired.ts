/** Two implementations of the same function, alternately in one process: processor time for each call. */
import { median } from '../gateway/median.ts';

/** Runs a number of iterations. */
export type Work = (pieces: number) => void | Promise<void>;

export interface Compared {
  readonly name: string;
  readonly library: string;
  readonly ours: Work;
  readonly theirs: Work;
  readonly pieces: number;
  /** What one iteration is, and which user waits for it. */
  readonly waits: string;
}

/** Microseconds of processor time for one iteration. */
export interface Figures {
  readonly ours: number;
  readonly theirs: number;
}

/** V8 optimizes code only after it has run for a while. */
const WARM_UP = 2;

export async function compare({ ours, theirs, pieces }: Compared, rounds: number): Promise<Figures> {
  const figures = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds + WARM_UP; round++) {
    const inTurn = [['ours', ours] as const, ['theirs', theirs] as const];
    for (const [name, work] of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const before = process.cpuUsage();
      await work(pieces);
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UP) figures[name].push((user + system) / pieces);
    }
  }
  return { ours: median(figures.ours), theirs: median(figures.theirs) };
}
