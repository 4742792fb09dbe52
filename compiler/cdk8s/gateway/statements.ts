import type { AnyBackend } from '../backend.ts';
import type { Callable, GrantTarget, LiteralPolicy, Statement } from '../grants/grant.ts';
import { type Policy, type PolicySubject, renderPolicy } from '../grants/policy.ts';
import { policyId } from '../grants/policy-id.ts';
import { distinguishesCallers } from '../grants/principal.ts';
import type { Call, CallSite } from '../origins.ts';
import type { ConstructProblem } from '../problems.ts';
import type { Tool } from '../tool.ts';
import type { ToolNaming } from './tool-naming.ts';

export interface RenderedPolicies {
  readonly policies: readonly { readonly text: string; readonly callSite: CallSite }[];
  readonly problems: readonly ConstructProblem[];
}

/** What policies need besides names. */
export interface StatementContext {
  readonly knowsCallers: boolean;
  /** Entity type of groups. */
  readonly groupType: string;
  /** Whether clients see a tool. */
  readonly isOffered: (tool: Tool) => boolean;
}

/** Renders grants as policies, one policy for each statement, in order. */
export function renderStatements(
  statements: readonly (Statement | LiteralPolicy)[],
  naming: ToolNaming,
  backends: readonly AnyBackend[],
  { knowsCallers, groupType, isOffered }: StatementContext,
): RenderedPolicies {
  const problems: ConstructProblem[] = [];
  const ids = new Set<string>();
  const policies = statements.flatMap(statement => {
    if ('text' in statement) return [{ text: statement.text, callSite: statement.call.at(0) }];
    const { effect, caller, id: chosen, granted, call } = statement;
    if (!knowsCallers && distinguishesCallers(caller.test)) {
      problems.push({
        message:
          'incoming authentication is anonymous, so callers cannot be told apart: use Caller.any(), or have callers sign in',
        callSite: call.at(),
      });
      return [];
    }
    const subject = toSubject(granted, call, naming, backends, isOffered);
    if (subject.problems.length > 0) {
      problems.push(...subject.problems);
      return [];
    }
    const policy = { effect, caller: caller.test, subject: subject.subject };
    if (chosen !== undefined && ids.has(chosen)) {
      problems.push({ message: `two policies have the id "${chosen}"`, callSite: call.at() });
    }
    const id = chosen ?? unused(policyId(policy), ids);
    ids.add(id);
    return [{ text: renderPolicy({ ...policy, id } satisfies Policy, groupType), callSite: call.at() }];
  });
  return { policies, problems };
}

function unused(id: string, taken: ReadonlySet<string>): string {
  let candidate = id;
  for (let number = 2; taken.has(candidate); number++) candidate = `${id}-${number}`;
  return candidate;
}

interface Subject {
  readonly subject: PolicySubject;
  readonly problems: readonly ConstructProblem[];
}

function toSubject(
  granted: GrantTarget,
  call: Call,
  naming: ToolNaming,
  backends: readonly AnyBackend[],
  isOffered: StatementContext['isOffered'],
): Subject {
  switch (granted.type) {
    case 'everything':
      return { subject: { type: 'everything' }, problems: [] };
    case 'prompts': {
      const problems = granted.prompts.flatMap(({ backend }, index) => strangers(backend, backends, call.at(index)));
      const names = granted.prompts.map(({ backend, prompt }) => naming.prompt(backend, prompt));
      return { subject: { type: 'prompts', names }, problems };
    }
    case 'resources': {
      const { resources } = granted;
      const problems = resources.flatMap((resource, index) =>
        'under' in resource ? [] : strangers(resource.backend, backends, call.at(index)),
      );
      const uris = resources.flatMap(resource => ('uri' in resource ? [resource.uri] : []));
      const under = resources.flatMap(resource => ('under' in resource ? [resource.under] : []));
      return { subject: { type: 'resources', uris, under }, problems };
    }
    case 'backend': {
      const { name: backend, locked } = granted.backend;
      if (locked === undefined) {
        return noSubject(
          `"${backend}" has no lock, so it is not known which tools it has: name them, or give it a lock`,
          call.at(0),
        );
      }
      const tools = locked.toolNames.map(name => ({ backend, name })).filter(isOffered);
      if (tools.length === 0)
        return noSubject(`"${backend}" offers no tool, so no policy is asked about its tools`, call.at(0));
      return listTools(tools, () => call.at(0), naming, backends, isOffered);
    }
    case 'tools':
      return listTools(granted.callables, index => call.at(index), naming, backends, isOffered);
  }
}

function listTools(
  callables: readonly Callable[],
  getCallSite: (index: number) => CallSite,
  naming: ToolNaming,
  backends: readonly AnyBackend[],
  isOffered: StatementContext['isOffered'],
): Subject {
  const names: string[] = [];
  const problems: ConstructProblem[] = [];
  for (const [index, callable] of callables.entries()) {
    if ('test' in callable) continue;
    if ('toolName' in callable) {
      names.push(callable.toolName);
      continue;
    }
    const named = naming.tool(callable);
    const callSite = getCallSite(index);
    problems.push(...strangers(callable.backend, backends, callSite));
    if (!isOffered(callable)) {
      problems.push({
        message: `"${callable.name}" of "${callable.backend}" is hidden or not exposed, so no policy is asked about it`,
        callSite,
      });
    }
    if ('problem' in named) problems.push({ message: named.problem, callSite });
    else names.push(named.name);
  }
  const tests = callables.flatMap(value => ('test' in value ? [value.test] : []));
  return { subject: { type: 'tools', names, tests }, problems };
}

function noSubject(message: string, callSite: CallSite): Subject {
  return { subject: { type: 'everything' }, problems: [{ message, callSite }] };
}

function strangers(backend: string, backends: readonly AnyBackend[], callSite: CallSite): readonly ConstructProblem[] {
  const isKnown = backends.some(({ name }) => name === backend);
  return isKnown ? [] : [{ message: `"${backend}" is not a backend of this gateway`, callSite }];
}
