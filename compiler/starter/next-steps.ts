/** A command to run next, and what it does. For a task that is no command, the first text is a sentence and the second one is empty. */
export type Step = readonly [command: string, what: string];

/** @param columns width of the terminal; undefined for unlimited lines */
export function formatNextSteps(steps: readonly Step[], columns?: number): string {
  const width = Math.max(...steps.filter(([, what]) => what !== '').map(([command]) => command.length));
  const wide = steps.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`.trimEnd());
  const isTooWide = columns !== undefined && wide.some(line => line.length > columns);
  const lines = isTooWide
    ? steps.flatMap(([command, what]) => [`  ${command}`, ...(what === '' ? [] : [`      ${what}`])])
    : wide;
  return `\nNext:\n${lines.map(line => `${line}\n`).join('')}`;
}
