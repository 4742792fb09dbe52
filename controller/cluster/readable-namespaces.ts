/**
 * The namespaces besides its own whose objects are compiled in for a source: those that its ServiceAccount may read. The controller itself may read
 * all of them, so without this check, findings about a commit that names another namespace would show what the source's account may not see.
 */
import { ACCEPTED_API_GROUPS, STORAGE_VERSION } from '#schemas';
import { INPUT_KINDS } from '../cluster-inputs/index.ts';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeClient, ObjectType } from '../kube/types.ts';
import { type ObservedSource, ReconcileError } from '../reconcile/index.ts';
import type { Accounts } from './accounts.ts';

/** Permissions may change without an event, so they are checked again after this time; milliseconds. */
const KNOWN_MS = 60_000;

/** The name of the object in the question whether the account may read a kind. No such object needs to exist. */
const PROBE = 'lintel';

const READ: readonly ObjectType[] = [
  ...INPUT_KINDS.map(kind => ({ apiVersion: `${ACCEPTED_API_GROUPS[0]}/${STORAGE_VERSION}`, kind })),
  { apiVersion: 'v1', kind: 'ConfigMap' },
];

export interface ReadableNamespacesOptions {
  readonly accounts: Pick<Accounts, 'getClient' | 'of'>;
  readonly monotonicNow: () => number;
  /** Called once for each account and namespace, until the account may read it. The message is printable. */
  readonly onRefused: (source: ObservedSource, message: string) => void;
}

/** The key of sources without an account. Such a source applies nothing, and its status says so; it reads no other namespace either. */
const NO_ACCOUNT = 'no account';

interface Known {
  readonly isReadable: boolean;
  readonly untilMs: number;
}

export class ReadableNamespaces {
  readonly #options: ReadableNamespacesOptions;
  /** Known permissions, by account and namespace. */
  readonly #known = new Map<string, Known>();

  constructor(options: ReadableNamespacesOptions) {
    this.#options = options;
  }

  /**
   * Finds out which of the namespaces may be read, for {@link select}.
   * @throws KubeError when the API server does not answer: a gateway that is compiled without the objects would differ
   */
  async checkAccess(source: ObservedSource, namespaces: readonly string[], signal: AbortSignal): Promise<void> {
    const { accounts, monotonicNow, onRefused } = this.#options;
    for (const namespace of namespaces) {
      const key = this.#formatKey(source, namespace);
      if (key === undefined || key === NO_ACCOUNT) continue;
      const known = this.#known.get(key);
      if (known !== undefined && monotonicNow() < known.untilMs) continue;
      const refusal = await findRefusal(accounts.getClient(source), namespace, signal);
      this.#known.set(key, { isReadable: refusal === undefined, untilMs: monotonicNow() + KNOWN_MS });
      if (refusal !== undefined && known?.isReadable !== false)
        onRefused(source, `objects of namespace ${namespace} are not compiled in: ${refusal}`);
    }
  }

  /** The namespaces that the account may read. A namespace that `checkAccess` has not checked counts as not readable. */
  select(source: ObservedSource, namespaces: readonly string[]): readonly string[] {
    return namespaces.filter(namespace => {
      const key = this.#formatKey(source, namespace);
      return key === undefined || this.#known.get(key)?.isReadable === true;
    });
  }

  /**
   * A key for the permissions of an account in a namespace; undefined where no check is needed: in the namespace of the source, and for the account
   * of the controller.
   */
  #formatKey(source: ObservedSource, namespace: string): string | undefined {
    if (namespace === source.metadata.namespace) return undefined;
    try {
      const account = this.#options.accounts.of(source);
      return account && JSON.stringify([account.namespace, account.name, namespace]);
    } catch (error) {
      if (error instanceof ReconcileError) return NO_ACCOUNT;
      throw error;
    }
  }
}

async function findRefusal(client: KubeClient, namespace: string, signal: AbortSignal): Promise<string | undefined> {
  for (const type of READ) {
    try {
      await client.get({ ...type, namespace, name: PROBE }, signal);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      if (error.failure === 'forbidden') return error.message;
      // A kind without a definition in the cluster has no objects.
      if (!error.isUnserved) throw error;
    }
  }
  return undefined;
}
