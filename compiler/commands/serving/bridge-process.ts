/** `lintel-bridge` as a child, which runs the stdio servers of what is served or asked. */
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
import { programBeside } from '../../package-files.ts';
import { useColor } from '../use-color.ts';
import { logText } from './log-text.ts';
import { findFreePort } from './ports.ts';

/** How the runtime reaches a bridge. */
export interface BridgeAddress {
  readonly url: string;
  readonly token: string;
}

/**
 * A file of a cluster that is not here is left out where a variable stands for it: who reads why a server does not start looks for the variable.
 *
 * @param backends of gateways; the path of each URL says which server it is
 */
export function bridgeConfig(backends: readonly Pick<BackendPlan, 'url' | 'stdio'>[]): BridgeConfig {
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

/** What becomes of the log of a bridge: all of it as JSON, all of it for people, or what went wrong for people. */
export type BridgeLog = 'json' | 'text' | 'problems';

/**
 * A bridge at an address that is known before it runs: it starts with the first server. It ends with us, however that happens, since its
 * standard input is ours.
 */
export class BridgeProcess {
  readonly address: BridgeAddress;
  /** Called with the reason when it ends unexpectedly. */
  readonly failed: Promise<string>;
  readonly #port: number;
  readonly #log: BridgeLog;
  readonly #failed = Promise.withResolvers<string>();
  /** Each configuration is confirmed by a line. */
  readonly #confirmations: (() => void)[] = [];
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isClosing = false;

  private constructor(port: number, log: BridgeLog) {
    this.#port = port;
    this.#log = log;
    this.failed = this.#failed.promise;
    this.address = { url: `http://127.0.0.1:${port}`, token: randomBytes(32).toString('base64url') };
  }

  static async prepare(log: BridgeLog): Promise<BridgeProcess> {
    return new BridgeProcess(await findFreePort(), log);
  }

  /** Resolves when the servers are those of the configuration, or with the reason when the bridge has failed. */
  async use(config: BridgeConfig): Promise<string | undefined> {
    if (this.#child === undefined) {
      if (Object.keys(config.servers).length === 0) return undefined;
      this.#start();
    }
    const confirmed = new Promise<void>(resolve => this.#confirmations.push(resolve));
    this.#child?.stdin?.write(`${JSON.stringify(config)}\n`);
    return Promise.race([confirmed.then(() => undefined), this.failed]);
  }

  /** Ends all servers, and the bridge. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#child?.stdin?.end();
    await this.#ended;
  }

  #start(): void {
    const args = [programBeside('lintel-bridge.js'), '--config', '-', '--port', String(this.#port)];
    const child = spawn(process.execPath, args, {
      // Ctrl-C is ours: servers end after the calls that run.
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
        if (isShown) process.stderr.write(`${logText(line, color)}\n`);
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
