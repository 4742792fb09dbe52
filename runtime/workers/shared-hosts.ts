/** The state in the primary process that all workers share: sessions, token buckets, embeddings and the audit log. */
import type { LoadedBundle } from '../bundle/load.ts';
import type { PreparedBundle } from '../gateway/gateway.ts';
import { openAudit, prepareAudit } from '../observe/audit/open-audit.ts';
import type { Logger } from '../observe/log.ts';
import type { Metric } from '../observe/metrics/metric.ts';
import type { RuntimeOptions } from '../options.ts';
import { MemorySessions } from '../shared-sessions/memory-store.ts';
import { findStateFolder as stateFolderOf } from '../state-folder.ts';
import { Dispatcher } from './dispatcher.ts';
import { EmbeddingHost } from './embedding-host.ts';
import { TokenHost } from './token-host.ts';

type Audit = Awaited<ReturnType<typeof openAudit>>;

export class SharedHosts {
  readonly sessions: MemorySessions = new MemorySessions();
  readonly tokens: TokenHost = new TokenHost();
  readonly embeddings: EmbeddingHost;
  readonly dispatcher: Dispatcher;
  readonly audit: Audit;
  /** The metrics of all workers. */
  metrics: () => Promise<readonly Metric[]> = async () => [];

  /** @throws BundleError for an audit log that cannot be written, AuditSettingError */
  static async open(
    loaded: LoadedBundle,
    options: Pick<RuntimeOptions, 'denial' | 'stateDir'>,
    log: Logger,
  ): Promise<SharedHosts> {
    const audit = await openAudit(loaded, log);
    const stateFolder = stateFolderOf(options.stateDir, loaded.bundle);
    const embeddings = new EmbeddingHost({ log, denial: options.denial, stateFolder });
    const hosts = new SharedHosts(audit, embeddings, new Dispatcher(log));
    hosts.tokens.use(loaded.bundle);
    (await embeddings.prepare(loaded.bundle)).use();
    return hosts;
  }

  private constructor(audit: Audit, embeddings: EmbeddingHost, dispatcher: Dispatcher) {
    this.audit = audit;
    this.embeddings = embeddings;
    this.dispatcher = dispatcher;
  }

  /** Writes the remaining audit records; called when all workers have exited. */
  async close(): Promise<void> {
    await this.embeddings.close();
    await this.audit.close();
  }

  /**
   * Prepares the shared state for the next bundle. `use` is called while all workers hold new requests. `closeFormer` closes the audit log of the old
   * bundle if the new bundle names another one, once workers have written their last records.
   *
   * @throws BundleError
   */
  async prepare(next: LoadedBundle): Promise<PreparedBundle & { closeFormer(): void }> {
    const recording = await prepareAudit(this.audit, next);
    const embeddings = await this.embeddings.prepare(next.bundle);
    const isRecorded = next.bundle.audit !== undefined;
    return {
      use: () => {
        this.tokens.use(next.bundle);
        embeddings.use();
        if (isRecorded) recording.apply();
      },
      closeFormer: () => {
        embeddings.closeFormer();
        if (!isRecorded) recording.apply();
      },
      discard: () => {
        embeddings.discard();
        void recording.cancel();
      },
    };
  }
}
