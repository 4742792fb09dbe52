import { setTimeout } from 'node:timers/promises';
import { NoStatusError, readStatus, renderFrame, Screen, type StatusSample, toStatusUrl } from '../top/index.ts';
import { isScreen } from './is-screen.ts';
import { useColor } from './use-color.ts';

export interface TopOptions {
  /** Prints the table once instead of updating it. */
  readonly once?: boolean;
  /** Polling interval; milliseconds. */
  readonly interval: number;
}

const NO_STATUS = 3;

/**
 * Shows backends, sessions, calls and limits of a running gateway: live on a terminal, else once. Returns the exit code.
 *
 * @throws UsageError for a URL that cannot be a gateway's
 */
export async function top(address: string, { once = false, interval }: TopOptions): Promise<number> {
  const url = toStatusUrl(address);
  try {
    const first = await readSample(url);
    if (once || !isScreen(process.stdout)) print(first);
    else await showLive(url, first, interval);
    return 0;
  } catch (error) {
    if (!(error instanceof NoStatusError)) throw error;
    process.stderr.write(`lintel: ${error.message}\n`);
    return NO_STATUS;
  }
}

async function readSample(url: URL, ended?: AbortSignal): Promise<StatusSample> {
  const status = await readStatus(url, ended);
  return { status, at: Date.now() };
}

function print(first: StatusSample): void {
  const { columns } = process.stdout;
  const lines = renderFrame(first, undefined, { color: useColor(process.stdout), width: columns, problem: undefined });
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
}

async function showLive(url: URL, first: StatusSample, intervalMs: number): Promise<void> {
  let [now, before, problem]: [StatusSample, StatusSample | undefined, string | undefined] = [
    first,
    undefined,
    undefined,
  ];
  const color = useColor(process.stdout);
  const draw = (): void => {
    screen.show([...renderFrame(now, before, { color, width: screen.columns, problem }), '', 'q to leave']);
  };
  using screen = new Screen(process.stdout, process.stdin, draw);
  const { ended } = screen;
  while (!ended.aborted) {
    draw();
    await setTimeout(intervalMs, undefined, { signal: ended }).catch(() => {});
    if (ended.aborted) return;
    try {
      const next = await readSample(url, ended);
      [before, now, problem] = [now, next, undefined];
    } catch (error) {
      if (!(error instanceof NoStatusError)) throw error;
      problem = error.message;
    }
  }
}
