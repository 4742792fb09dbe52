/** Runs `lintel-bridge` as a child, for the stdio servers of what is served or queried. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  type BackendPlan,
  BRIDGE_TOKEN_VARIABLE,
  type BridgeConfig,
  type StdioPlan,
  type StdioVariable,
} from '#schemas';
import { resolveProgram } from '../../package-files.ts';
import { useColor } from '../use-color.ts';
import { logText } from './log-text.ts';
import { type HeldPort, holdFreePort } from './ports.ts';

/** How the runtime reaches a bridge. */
export interface BridgeAddress {
  readonly url: string;
  readonly token: string;
}

/**
 * The bridge's configuration for the stdio servers of the backends. The file of a Secret exists only in a cluster. If it is missing here and a
 * variable can replace it, the file is left out, so that the bridge's error names the variable.
 *
 * @param backends of gateways; the path of each URL says which server it is
 */
export function buildBridgeConfig(backends: readonly Pick<BackendPlan, 'url' | 'stdio'>[]): BridgeConfig {
  const servers = backends.flatMap(({ url, stdio }): (readonly [string, StdioPlan])[] => {
    const [, key] = /^\/(.+)\/mcp$/.exec(new URL(url).pathname) ?? [];
    return stdio === undefined || key === undefined ? [] : [[key, { ...stdio, env: stdio.env.map(withoutAbsentFile) }]];
  });
  return { servers: Object.fromEntries(servers) };
}

function withoutAbsentFile(variable: StdioVariable): StdioVariable {
  const { value } = variable;
  if (value.type !== 'secret' || value.from.env === null || value.from.file === null) return variable;
  return existsSync(value.from.file)
    ? variable
    : { ...variable, value: { ...value, from: { ...value.from, file: null } } };
}

/** How a bridge's log is shown: all of it as JSON, all of it as text, or only errors as text. */
export type BridgeLog = 'json' | 'text' | 'problems';

/**
 * A bridge process whose address is known before it starts: it only starts when a configuration contains a server. When the present process ends, the
 * bridge ends as well, because its standard input is closed.
 */
export class BridgeProcess {
  readonly address: BridgeAddress;
  /** Resolves with the reason when the bridge cannot be started or ends unexpectedly. */
  readonly failed: Promise<string>;
  /** A reservation, because other processes get the address long before the bridge starts. */
  readonly #port: HeldPort;
  readonly #log: BridgeLog;
  readonly #failed = Promise.withResolvers<string>();
  /** The bridge confirms each configuration by a line. */
  readonly #confirmations: (() => void)[] = [];
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isClosing = false;

  private constructor(port: HeldPort, log: BridgeLog) {
    this.#port = port;
    this.#log = log;
    this.failed = this.#failed.promise;
    this.address = { url: `http://127.0.0.1:${port.port}`, token: randomBytes(32).toString('base64url') };
  }

  static async prepare(log: BridgeLog): Promise<BridgeProcess> {
    return new BridgeProcess(await holdFreePort(), log);
  }

  /** Resolves with undefined when the bridge runs the servers of the configuration, and with the reason when the bridge failed. */
  async use(config: BridgeConfig): Promise<string | undefined> {
    if (this.#child === undefined) {
      if (Object.keys(config.servers).length === 0) return undefined;
      this.#start();
    }
    const confirmed = new Promise<void>(resolve => this.#confirmations.push(resolve));
    this.#child?.stdin?.write(`${JSON.stringify(config)}\n`);
    return Promise.race([confirmed.then(() => undefined), this.failed]);
  }

  /** Ends the bridge and all of its servers. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#port.release();
    this.#child?.stdin?.end();
    await this.#ended;
  }

  #start(): void {
    const args = [resolveProgram('lintel-bridge.js'), '--config', '-', '--port', String(this.#port.port)];
    this.#port.release();
    const child = spawn(process.execPath, args, {
      // Ctrl-C in a terminal does not reach a detached process. So the servers can finish running calls before this process ends them.
      detached: true,
      env: { ...process.env, [BRIDGE_TOKEN_VARIABLE]: this.address.token },
      stdio: ['pipe', 'pipe', this.#log === 'json' ? 'inherit' : 'pipe'],
    });
    this.#child = child;
    const color = useColor(process.stderr);
    child.stdin?.on('error', () => {});
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on('line', () => this.#confirmations.shift()?.());
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', line => {
        const isShown = this.#log === 'text' || !line.startsWith('{"level":"info"');
        if (isShown) process.stderr.write(`${logText(line, color, process.stderr.columns)}\n`);
      });
    this.#ended = new Promise(resolve => {
      child.once('error', error => {
        this.#failed.resolve(`cannot be started: ${error.message}`);
        resolve();
      });
      child.once('close', (code, signal) => {
        if (!this.#isClosing)
          this.#failed.resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
        resolve();
      });
    });
  }
}
