/** Counts of reachable tools by class of callers, few enough for metrics: `exposure.json` has the individual tools and policies. */
import type { Exposure, Who } from '#compiler';

/** `anonymous` and `authenticated`: every admitted caller; `granted`: callers who match a policy; `unknown`: the policies are unknown. */
export type ToolCallers = 'anonymous' | 'authenticated' | 'granted' | 'unknown';

/** What the tool may do according to its hints; `none`: without hints, it may do anything. */
export type ToolEffect = 'read_only' | 'additive' | 'destructive' | 'none';

export interface ToolCount {
  readonly callers: ToolCallers;
  readonly effect: ToolEffect;
  readonly tools: number;
}

/** Workflows count as tools; each tool counts once, and unreachable tools do not count. In order of first occurrence. */
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

/** In MCP, `destructiveHint` only has a meaning for tools that are not read-only. */
function classifyEffect({ readOnlyHint, destructiveHint }: Exposure['tools'][number]['hints']): ToolEffect {
  if (readOnlyHint?.value === true) return 'read_only';
  if (destructiveHint === undefined) return 'none';
  return destructiveHint.value ? 'destructive' : 'additive';
}
