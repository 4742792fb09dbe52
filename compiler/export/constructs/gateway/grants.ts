/** `grant`, `forbid` and `addPolicy`, from the texts of policies. */
import { Caller, type CallerTest } from '../../../cdk8s/caller.ts';
import type { Callable, GrantTarget, Statement } from '../../../cdk8s/grants/grant.ts';
import { NOTHING_PERMITTED, type Policy, type PolicySubject } from '../../../cdk8s/grants/policy.ts';
import { policyId } from '../../../cdk8s/grants/policy-id.ts';
import { distinguishesCallers } from '../../../cdk8s/grants/principal.ts';
import type { Tool } from '../../../cdk8s/tool.ts';
import { Tools, type ToolTest } from '../../../cdk8s/tools.ts';
import type { Path } from '../../../source/source-document.ts';
import { type CallCode, type Code, call, method, object, plain } from '../../typescript/code.ts';
import type { ClientNames } from './callables.ts';
import { emitText, emitToolReference, type GatewayStatement, NO_CALL, type ProgramNames } from './gateway-statement.ts';
import { emitPolicy } from './policy-code.ts';
import { readGrant } from './read-grant.ts';

export interface GrantSettings {
  /** The Cedar entity type of groups. */
  readonly groupType: string;
  /** Whether callers are authenticated. */
  readonly knowsCallers: boolean;
  readonly names: ClientNames;
  readonly isOffered: (tool: Tool) => boolean;
}

export interface EmittedGrants {
  readonly statements: readonly GatewayStatement[];
  /** Whether a tool is granted by name. */
  isGranted(backend: string, tool: string): boolean;
}

/** @param path of the list of policies */
export function emitGrants(policies: readonly string[], path: Path, settings: GrantSettings): EmittedGrants {
  if (policies.length === 1 && policies[0] === NOTHING_PERMITTED) return { statements: [], isGranted: () => false };
  const ids = new Set<string>();
  const chains: (Chain | { readonly text: string; readonly about: readonly Path[] })[] = [];
  for (const [index, policy] of policies.entries()) {
    const at = index === 0 ? [path, [...path, index]] : [[...path, index]];
    const emitted = findGrant(policy, ids, settings);
    const last = chains.at(-1);
    if (emitted === undefined) chains.push({ text: policy, about: at });
    else if (last !== undefined && 'granted' in last && emitted.id === undefined && isSameCaller(last, emitted)) {
      last.granted.push(emitted.granted);
      last.about.push(...at);
    } else chains.push({ ...emitted, granted: [emitted.granted], about: at });
  }
  const granted = new Set(
    chains.flatMap(chain =>
      'granted' in chain && chain.effect === 'permit' ? chain.granted.flatMap(listTools).map(formatToolKey) : [],
    ),
  );
  return {
    statements: chains.map(chain =>
      'granted' in chain ? emitChain(chain) : emitPolicyStatement(chain.text, chain.about),
    ),
    isGranted: (backend, name) => granted.has(formatToolKey({ backend, name })),
  };
}

interface EmittedGrant extends Pick<Statement, 'effect' | 'id'> {
  readonly test: CallerTest;
  readonly caller: Caller;
  readonly granted: GrantTarget;
}

interface Chain extends Omit<EmittedGrant, 'granted'> {
  readonly granted: GrantTarget[];
  readonly about: Path[];
}

/** The grant that renders to a policy; undefined for a policy that has to stay Cedar text. */
function findGrant(policy: string, ids: Set<string>, settings: GrantSettings): EmittedGrant | undefined {
  const read = readGrant(policy, settings.groupType);
  if (read === undefined) return undefined;
  const granted = findGranted(read.subject, settings);
  const { effect, id } = read;
  const test = withUsualId(read, ids) ?? read.caller;
  const caller = toCaller(test);
  const isExpressible = settings.knowsCallers || !distinguishesCallers(test);
  if (granted === undefined || caller === undefined || !isExpressible || ids.has(id)) return undefined;
  const isUsual = formatUsualId({ ...read, caller: test }, ids) === id;
  ids.add(id);
  return { effect, id: isUsual ? undefined : id, test, caller, granted };
}

/**
 * The callers for whom the policy has its usual id. Cedar has the same policy for all callers and for authenticated callers; the id of the policy
 * says which of them was meant.
 */
function withUsualId(policy: Policy, ids: ReadonlySet<string>): CallerTest | undefined {
  const tests: readonly CallerTest[] = [policy.caller, { type: 'authenticated' }];
  return policy.caller.type === 'any'
    ? tests.find(caller => formatUsualId({ ...policy, caller }, ids) === policy.id)
    : undefined;
}

function formatUsualId(policy: Policy, taken: ReadonlySet<string>): string {
  const id = policyId(policy);
  let candidate = id;
  for (let number = 2; taken.has(candidate); number++) candidate = `${id}-${number}`;
  return candidate;
}

function findGranted(subject: PolicySubject, { names, isOffered }: GrantSettings): GrantTarget | undefined {
  switch (subject.type) {
    case 'everything':
      return subject;
    case 'tools': {
      const callables = subject.names.map((name): Callable | undefined => {
        return names.isOwnTool(name) ? { toolName: name } : names.findTool(name, isOffered);
      });
      return combineAll([...callables, ...subject.tests.map(toTools)], all => ({ type: 'tools', callables: all }));
    }
    case 'prompts':
      return combineAll(
        subject.names.map(name => names.prompt(name)),
        prompts => ({ type: 'prompts', prompts }),
      );
    case 'resources':
      return combineAll(
        [...subject.uris.map(uri => names.findResource(uri)), ...subject.under.map(under => ({ under }))],
        all => ({
          type: 'resources',
          resources: all,
        }),
      );
  }
}

function combineAll<T>(
  items: readonly (T | undefined)[],
  make: (items: readonly T[]) => GrantTarget,
): GrantTarget | undefined {
  const there = items.filter(item => item !== undefined);
  return there.length < items.length ? undefined : make(there);
}

function toTools(test: ToolTest): Tools {
  return Tools[test]();
}

/** The `Caller` that renders to a test of callers; undefined if there is none. */
function toCaller(test: CallerTest): Caller | undefined {
  try {
    return createCaller(test);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function createCaller(test: CallerTest): Caller {
  switch (test.type) {
    case 'any':
    case 'authenticated':
      return Caller[test.type]();
    case 'group':
    case 'subject':
    case 'scope':
      return Caller[test.type](test.value);
    case 'claim':
      return Caller.claim(test.claim, test.value);
    case 'includes':
      return Caller.claimIncludes(test.claim, test.value);
    case 'and':
    case 'or': {
      const [first, second, ...others] = test.tests.map(createCaller);
      if (first === undefined || second === undefined)
        throw new RangeError('a combination of callers needs at least two parts');
      return first[test.type](second, ...others);
    }
  }
}

function emitCaller(test: CallerTest): Code {
  switch (test.type) {
    case 'any':
    case 'authenticated':
      return call(`Caller.${test.type}`);
    case 'group':
    case 'subject':
    case 'scope':
      return call(`Caller.${test.type}`, emitText(test.value));
    case 'claim': {
      const value = typeof test.value === 'string' ? emitText(test.value) : plain(`${test.value}`);
      return call('Caller.claim', emitText(test.claim), value);
    }
    case 'includes':
      return call('Caller.claimIncludes', emitText(test.claim), emitText(test.value));
    case 'and':
    case 'or': {
      const [first, ...others] = test.tests.map(emitCaller);
      return method(first ?? call('Caller.any'), test.type, ...others);
    }
  }
}

function emitChain({ effect, caller, test, id, granted, about }: Chain): GatewayStatement {
  return {
    apply: draft => {
      for (const [index, grantTarget] of granted.entries())
        draft.addStatement({ effect, caller, id: index === 0 ? id : undefined, granted: grantTarget, call: NO_CALL });
    },
    code: words => {
      const options = id === undefined ? [] : [object({ id: emitText(id) })];
      const begin = call(`${words.gateway}.${effect === 'permit' ? 'grant' : 'forbid'}`, emitCaller(test), ...options);
      return granted.reduce((on: CallCode, grantTarget) => method(on, ...chooseVerb(grantTarget, words)), begin);
    },
    about,
  };
}

function chooseVerb(granted: GrantTarget, words: ProgramNames): readonly [name: string, ...parameters: Code[]] {
  switch (granted.type) {
    case 'everything':
      return ['everything'];
    case 'backend':
      return ['callAll', plain(words.backend(granted.backend.name))];
    case 'prompts':
      return [
        'get',
        ...granted.prompts.map(({ backend, prompt }) => call(`${words.backend(backend)}.prompt`, emitText(prompt))),
      ];
    case 'resources':
      return [
        'read',
        ...granted.resources.map(resource =>
          'under' in resource
            ? object({ under: emitText(resource.under) })
            : call(`${words.backend(resource.backend)}.resource`, emitText(resource.uri)),
        ),
      ];
    case 'tools':
      return ['call', ...granted.callables.map(value => emitCallable(value, words))];
  }
}

function emitCallable(callable: Callable, words: ProgramNames): Code {
  if ('test' in callable) return call(`Tools.${callable.test}`);
  return 'toolName' in callable ? plain(words.ownTool(callable.toolName)) : emitToolReference(callable, words);
}

function emitPolicyStatement(policy: string, about: readonly Path[]): GatewayStatement {
  return {
    apply: draft => draft.addPolicy({ text: policy, call: NO_CALL }),
    code: words => call(`${words.gateway}.addPolicy`, emitPolicy(policy)),
    about,
  };
}

function listTools(granted: GrantTarget): readonly Tool[] {
  return granted.type === 'tools' ? granted.callables.filter(value => 'backend' in value) : [];
}

function isSameCaller(
  one: Pick<EmittedGrant, 'effect' | 'test'>,
  other: Pick<EmittedGrant, 'effect' | 'test'>,
): boolean {
  return one.effect === other.effect && JSON.stringify(one.test) === JSON.stringify(other.test);
}

function formatToolKey({ backend, name }: Pick<Tool, 'backend' | 'name'>): string {
  return JSON.stringify([backend, name]);
}
