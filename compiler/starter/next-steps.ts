/** A command that a person runs next, and what it does; a sentence alone is something else to do. */
export type Step = readonly [command: string, what: string];

export function nextSteps(steps: readonly Step[]): string {
  const width = Math.max(...steps.filter(([, what]) => what !== '').map(([command]) => command.length));
  return `\nNext:\n${steps.map(([command, what]) => `  ${command.padEnd(width)}  ${what}`.trimEnd().concat('\n')).join('')}`;
}
