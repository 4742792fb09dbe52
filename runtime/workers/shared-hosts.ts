/** What workers share, in the primary. */
import type { LoadedBundle } from '../bundle/load.ts';
import type { PreparedBundle } from '../gateway/gateway.ts';
import { openAudit, prepareAudit } from '../observe/audit/open-audit.ts';
import type { Logger } from '../observe/log.ts';
import type { Metric } from '../observe/metrics/metric.ts';
import { MemorySessions } from '../shared-sessions/memory-store.ts';
import { Dispatcher } from './dispatcher.ts';
import { TokenHost } from './token-host.ts';

type Audit = Awaited<ReturnType<typeof openAudit>>;

export class SharedHosts {
  readonly sessions: MemorySessions = new MemorySessions();
  readonly tokens: TokenHost = new TokenHost();
  readonly dispatcher: Dispatcher;
  readonly audit: Audit;
  /** Those of all workers. */
  metrics: () => Promise<readonly Metric[]> = async () => [];

  /** @throws BundleError for an audit log that cannot be written, AuditSettingError */
  static async open(loaded: LoadedBundle, log: Logger): Promise<SharedHosts> {
    const hosts = new SharedHosts(await openAudit(loaded, log), new Dispatcher(log));
    hosts.tokens.use(loaded.bundle);
    return hosts;
  }

  private constructor(audit: Audit, dispatcher: Dispatcher) {
    this.audit = audit;
    this.dispatcher = dispatcher;
  }

  /**
   * Makes ready what another bundle takes. It is used after the workers have stopped beginning requests by the former one, and before
   * they begin any by the next; a log that is no longer written is closed by `closeFormer`, when they have written the last of it.
   *
   * @throws BundleError
   */
  async prepare(next: LoadedBundle): Promise<PreparedBundle & { closeFormer(): void }> {
    const recording = await prepareAudit(this.audit, next);
    const isRecorded = next.bundle.audit !== undefined;
    return {
      use: () => {
        this.tokens.use(next.bundle);
        if (isRecorded) recording.apply();
      },
      closeFormer: () => {
        if (!isRecorded) recording.apply();
      },
      discard: () => void recording.cancel(),
    };
  }
}
