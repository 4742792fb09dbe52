/** How many tools who reaches, in numbers few enough for metrics: the exposure itself tells which ones, and by which policy. */
import type { Exposure, Who } from '#compiler';

/** `anonymous` and `authenticated` are everyone who gets in; `granted` those for whom a policy holds; `unknown` where policies are not known. */
export type ToolCallers = 'anonymous' | 'authenticated' | 'granted' | 'unknown';

/** What the tool is claimed to do; `none` makes no claim, so it may do anything. */
export type ToolEffect = 'read_only' | 'additive' | 'destructive' | 'none';

export interface ToolCount {
  readonly callers: ToolCallers;
  readonly effect: ToolEffect;
  readonly tools: number;
}

/** Workflows count as tools; each counts once, and what no caller reaches not at all. Sorted as it is found. */
export function countExposedTools({ authentication, tools, composites }: Exposure): readonly ToolCount[] {
  const reached = [
    ...tools.map(({ reach, hints }) => ({ who: reach, hints })),
    ...composites.map(({ direct, hints }) => ({ who: direct, hints })),
  ];
  const keys = reached.flatMap(({ who, hints }) => {
    const callers = classifyCallers(who, authentication.type === 'anonymous');
    return callers === undefined ? [] : [{ callers, effect: classifyEffect(hints) }];
  });
  return [...Map.groupBy(keys, ({ callers, effect }) => `${callers} ${effect}`).values()].flatMap(same => {
    const [first] = same;
    return first === undefined ? [] : [{ ...first, tools: same.length }];
  });
}

function classifyCallers({ type }: Who, isAnonymous: boolean): ToolCallers | undefined {
  switch (type) {
    case 'everyone':
      return isAnonymous ? 'anonymous' : 'authenticated';
    case 'some':
      return 'granted';
    case 'unknown':
      return 'unknown';
    case 'nobody':
      return undefined;
  }
}

/** MCP gives `destructiveHint` a meaning only for tools that are not read-only. */
function classifyEffect({ readOnlyHint, destructiveHint }: Exposure['tools'][number]['hints']): ToolEffect {
  if (readOnlyHint?.value === true) return 'read_only';
  if (destructiveHint === undefined) return 'none';
  return destructiveHint.value ? 'destructive' : 'additive';
}
