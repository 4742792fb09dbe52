/** Two ways to do the same, in one process and in turn: what one piece of work takes of the processor. */
import { median } from '../gateway/median.ts';

/** Does so many pieces of work. */
export type Work = (pieces: number) => void | Promise<void>;

export interface Compared {
  readonly name: string;
  readonly library: string;
  readonly ours: Work;
  readonly theirs: Work;
  readonly pieces: number;
  /** What a piece of work is, and who waits for it. */
  readonly waits: string;
}

/** Microseconds of processor time for a piece of work. */
export interface Figures {
  readonly ours: number;
  readonly theirs: number;
}

/** V8 optimizes what it has run for a while. */
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
