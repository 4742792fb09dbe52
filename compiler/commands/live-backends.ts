/** The backends that `lintel test --record` queries, and the tools that this command may call. */
import type { PrivateDenial, RehearsalRequest } from '#schemas';
import { deduplicateBackends } from '../analysis/catalog/index.ts';
import type { ToolModel } from '../analysis/gateway/model.ts';
import type { Compilation } from '../compile/compilation.ts';
import { formatTool } from '../workflow-tests/check-run.ts';
import type { PlannedTest, TestedWorkflow } from '../workflow-tests/planned-test.ts';
import { prepareQueries, type QueryBackendsOptions, repeats } from './query-backends.ts';

export interface LiveOptions extends Omit<QueryBackendsOptions, 'backend' | 'denial'> {
  readonly denial: PrivateDenial | undefined;
  /** Whether tools that may change something are called as well. */
  readonly allowWrites: boolean;
}

/** Calls to real backends. */
export interface LiveBackendCalls {
  readonly question: NonNullable<RehearsalRequest['live']>;
  /** The tools of real backends that a test may call, for `RehearsalScript.live`. */
  listTools(test: PlannedTest): Readonly<Record<string, string>>;
  /** Why a tool, `backend.tool`, is not called; undefined when it is called. */
  whyNot(test: PlannedTest, tool: string): string | undefined;
  /** Whether an answer contains a credential that was sent to a backend. */
  repeatsSecret(answer: unknown): boolean;
}

/** @throws UsageError for an option that names no backend, or has no token */
export function createLiveBackends(
  compilation: Compilation,
  planned: readonly PlannedTest[],
  { allowWrites, ...options }: LiveOptions,
): LiveBackendCalls {
  const keys = (workflow: TestedWorkflow) => listKeys(compilation, workflow);
  const calledBackends = new Set(
    planned.flatMap(({ workflow }) => listTools(workflow).map(tool => keys(workflow).get(tool.backend))),
  );
  const all = deduplicateBackends(compilation.gateways.flatMap(gateway => gateway.backends?.() ?? []));
  const { asked, notLocked, denial } = prepareQueries(
    all.filter(({ key }) => calledBackends.has(key)),
    options,
  );
  const secrets = asked.flatMap(entry => entry.secrets);
  const refusal = (tool: ToolModel, key: string | undefined): string | undefined => {
    const skipped = notLocked.find(entry => entry.key === key);
    if (skipped !== undefined) return `${key}: ${skipped.reason}`;
    if (allowWrites || isReadOnly(tool)) return undefined;
    return 'It is not called to be recorded, since it is not said to be read-only: --allow-writes calls it';
  };
  return {
    question: { backends: asked.map(({ question }) => question), ...(denial && { denial }) },
    listTools: ({ workflow }) => {
      const own = keys(workflow);
      const open = listTools(workflow).filter(tool => refusal(tool, own.get(tool.backend)) === undefined);
      return Object.fromEntries(
        open.flatMap(({ backend, originalName }) => {
          const key = own.get(backend);
          return key === undefined ? [] : [[formatTool({ backend, tool: originalName }), key]];
        }),
      );
    },
    whyNot: ({ workflow }, name) => {
      const tool = listTools(workflow).find(
        ({ backend, originalName }) => formatTool({ backend, tool: originalName }) === name,
      );
      return tool && refusal(tool, keys(workflow).get(tool.backend));
    },
    repeatsSecret: answer => repeats(answer, secrets),
  };
}

function listTools({ composite }: TestedWorkflow): readonly ToolModel[] {
  return composite.calls.flatMap(({ target }) => (target.type === 'tool' ? [target.tool] : []));
}

/** The keys of the backends of a gateway, by the names that the backends have in the gateway. */
function listKeys({ gateways }: Compilation, { gateway: { resource } }: TestedWorkflow): ReadonlyMap<string, string> {
  const own = gateways.find(({ object }) => object.namespace === resource.namespace && object.name === resource.name);
  return new Map((own?.backends?.() ?? []).map(({ key, plan }) => [plan.name, key]));
}

function isReadOnly({ definition }: ToolModel): boolean {
  const annotations = definition.annotations as { readonly readOnlyHint?: unknown } | undefined;
  return annotations?.readOnlyHint === true;
}
