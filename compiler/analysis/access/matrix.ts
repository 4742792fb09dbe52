/** The matrix of `lintel matrix`: which of the given callers may do what. */
import { compareText } from '#schemas';
import type { CedarAction, CedarTarget } from '#shared/plan';
import { formatList } from '../../text/describe.ts';
import type { GatewayModel } from '../gateway/model.ts';
import {
  type Admission,
  authenticateCaller,
  type Claims,
  type EvaluationContext,
  toAdmittingServer,
} from './admission.ts';
import { listAdvertisedTools } from './find-target.ts';
import { describeIdleClaims, listGroupsWithoutCallers } from './idle-claims.ts';
import { indexOrigins } from './origin.ts';
import { type GatewayPolicies, isPermitted, namePolicy, type PolicyDecision, preparePolicies } from './policies.ts';
import { addWorkflowPaths } from './workflow-paths.ts';

export const MATRIX_FORMAT_VERSION = 1;

/** A caller with a name for readers of the matrix. */
export interface Persona {
  readonly name: string;
  /** The claims of the caller's token; undefined for a caller without a token. */
  readonly claims: Claims | undefined;
}

export interface Matrix {
  readonly formatVersion: typeof MATRIX_FORMAT_VERSION;
  readonly personas: readonly string[];
  /** The matrices of gateways, sorted by namespace and name. */
  readonly gateways: readonly ServerMatrix[];
  /** Registry servers, sorted by namespace and name. Empty in files of versions before they were written. */
  readonly registries: readonly ServerMatrix[];
}

/** The matrix of a gateway or of a registry server. */
export interface ServerMatrix {
  readonly namespace: string;
  readonly name: string;
  /** Whether the tool lock has all backends; otherwise there may be more items. Registry servers need no lock. */
  readonly complete: boolean;
  /** The items of the server, by type in the order of {@link ITEM_TYPES}, then by name. */
  readonly items: readonly MatrixItem[];
}

export interface MatrixItem {
  readonly type: ItemType;
  /** The item as clients see it: a name, a URI or a URI template. For a source, the name of the registry and that of the source: `main/github`. */
  readonly name: string;
  /** Set for a tool that clients cannot call by its name. The matrix only has such a tool if a workflow calls it. */
  readonly hidden?: true;
  /** The tool or prompt of a backend that has this name; absent for a workflow and a resource. */
  readonly origin?: { readonly backend: string; readonly name: string };
  /** Whether each persona may use the item by a direct request. */
  readonly access: { readonly [persona: string]: Cell };
  /** The workflows that the persona may call and that call this tool, sorted by name. Personas without such a workflow are left out. */
  readonly through?: { readonly [persona: string]: readonly string[] };
}

/** `yes`: permitted, at least without arguments. `arguments`: lists show it, but a call without arguments is refused. */
export type Cell = 'yes' | 'no' | 'arguments';

export const CELLS: readonly Cell[] = ['yes', 'no', 'arguments'];

/** `source`: the entries of a source, in one of the registries that serve it. */
export const ITEM_TYPES = ['tool', 'prompt', 'resource', 'resourceTemplate', 'registry', 'source'] as const;

export type ItemType = (typeof ITEM_TYPES)[number];

/** The matrix of one server, with notes. */
export interface MatrixFindings {
  readonly kind: 'gateway' | 'registry';
  readonly matrix: ServerMatrix;
  /** Remarks, for example about personas that are refused, and about policies that fail. */
  readonly notes: readonly string[];
  /** The notes about groups that none of the callers is in. */
  readonly groups?: readonly string[];
}

/** A gateway and a registry server may have the same name. */
export function formatServerName(
  kind: MatrixFindings['kind'],
  { namespace, name }: Pick<ServerMatrix, 'namespace' | 'name'>,
): string {
  return kind === 'registry' ? `registry server ${namespace}/${name}` : `${namespace}/${name}`;
}

/** The matrix of a gateway with its notes. Undefined when the policies of the gateway are not in the sources. */
export function buildMatrix(
  gateway: GatewayModel,
  personas: readonly Persona[],
  context: EvaluationContext,
): MatrixFindings | undefined {
  const policies = preparePolicies(gateway);
  if (policies === undefined) return undefined;
  const { namespace, name } = gateway.resource;
  const rows = personas.map(
    persona =>
      new Row(
        persona.name,
        policies,
        authenticateCaller(toAdmittingServer(gateway), persona.claims, context),
        describeIdleClaims(gateway, persona.claims, false),
      ),
  );
  const findOrigin = indexOrigins(gateway);
  const items = addWorkflowPaths(
    gateway,
    findOrigin,
    personas.map(({ name }) => name),
    listOfferedTargets(gateway).map(({ type, action, target }): MatrixItem => {
      const access = Object.fromEntries(rows.map(row => [row.persona, row.getCell(action, target)]));
      return { type, name: target.name, ...findOrigin(type, target.name), access };
    }),
  );
  const matrix = { namespace, name, complete: gateway.isLocked, items };
  const groups = listGroupsWithoutCallers(
    gateway,
    personas.flatMap(({ claims }) => (claims === undefined ? [] : [claims])),
  );
  const own = rows.flatMap(({ persona, notes }) => notes.map(note => ({ persona, note })));
  return { kind: 'gateway', matrix, notes: [...mergeNotes(own), ...groups], groups };
}

/** Merges equal notes of several personas. */
export function mergeNotes(notes: readonly { readonly persona: string; readonly note: string }[]): readonly string[] {
  return [...Map.groupBy(notes, ({ note }) => note)].map(
    ([note, those]) => `${formatList(those.map(({ persona }) => persona))}: ${note}`,
  );
}

/** The matrices without notes. */
export function combineMatrices(personas: readonly string[], findings: readonly MatrixFindings[]): Matrix {
  const of = (expectedKind: MatrixFindings['kind']) =>
    findings.filter(({ kind }) => kind === expectedKind).map(({ matrix }) => matrix);
  return { formatVersion: MATRIX_FORMAT_VERSION, personas, gateways: of('gateway'), registries: of('registry') };
}

interface OfferedTarget {
  readonly type: ItemType;
  readonly action: CedarAction;
  readonly target: CedarTarget;
}

function listOfferedTargets(gateway: GatewayModel): readonly OfferedTarget[] {
  const { prompts, resources, resourceTemplates } = gateway;
  const tools = listAdvertisedTools(gateway).map(({ name, annotations }) => ({ name: String(name), annotations }));
  const uris = (items: GatewayModel['resources']) => items.map(({ uri }) => ({ name: uri }));
  return [
    ...offers('tool', 'call_tool', tools),
    ...offers('prompt', 'get_prompt', prompts),
    ...offers('resource', 'read_resource', uris(resources)),
    ...offers('resourceTemplate', 'read_resource', uris(resourceTemplates)),
  ];
}

function offers(type: ItemType, action: CedarAction, targets: readonly CedarTarget[]): readonly OfferedTarget[] {
  return targets
    .map(({ name, annotations }) => ({ type, action, target: { name, annotations } }))
    .sort((a, b) => compareText(a.target.name, b.target.name));
}

/** The row of one persona at one gateway. */
class Row {
  readonly persona: string;
  readonly #policies: GatewayPolicies;
  readonly #admission: Admission;
  /** The failures of policies, and how many items each of them denies. */
  readonly #failures = new Map<string, number>();

  readonly #idle: readonly string[];

  /** @param idle notes about claims that decide nothing */
  constructor(persona: string, policies: GatewayPolicies, admission: Admission, idle: readonly string[]) {
    this.persona = persona;
    this.#idle = idle;
    this.#policies = policies;
    this.#admission = admission;
  }

  getCell(action: CedarAction, target: CedarTarget): Cell {
    const { caller, refusals } = this.#admission;
    if (refusals.length > 0) return 'no';
    const verdict = this.#policies.decide(caller, action, target, {});
    if (isPermitted(verdict)) return 'yes';
    if (this.#policies.lists(caller, action, target)) return 'arguments';
    for (const failure of listFailures(verdict)) this.#failures.set(failure, (this.#failures.get(failure) ?? 0) + 1);
    return 'no';
  }

  get notes(): readonly string[] {
    const { refusals, notes } = this.#admission;
    const failures = [...this.#failures].map(([failure, count]) => `${failure}; denies ${count}`);
    return [...refusals.map(cause => `the gateway refuses the caller: ${cause}`), ...this.#idle, ...notes, ...failures];
  }
}

function listFailures(verdict: PolicyDecision): readonly string[] {
  if (verdict.type !== 'policy-error') return [];
  return verdict.errors.map(({ policy, message }) =>
    policy === undefined ? message : `${namePolicy(policy)} cannot be evaluated: ${message}`,
  );
}
