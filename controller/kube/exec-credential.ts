/**
 * Credential plugins, such as those of cloud providers.
 *
 * @see https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
 */
import { spawn } from 'node:child_process';
import type { Clock } from './clock.ts';
import type { ApiCredentials } from './config.ts';
import { KubeConfigError } from './config-error.ts';

const API_VERSION = 'client.authentication.k8s.io/v1';

const TIMEOUT_MS = 60_000;

const MAX_OUTPUT_BYTES: number = 1024 * 1024;

/** Credentials are renewed this long before they expire, in milliseconds. */
const MARGIN_MS = 10_000;

export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** Shown to operators on whose machine the program is missing. */
  readonly installHint: string | undefined;
  /** The cluster, for programs that request it; undefined for others. */
  readonly cluster: object | undefined;
  /** The configuring file and field, for messages. */
  readonly field: string;
}

/** A program's credentials, cached until they expire. */
export class ExecCredential {
  readonly #plugin: ExecPlugin;
  readonly #clock: Clock;
  #cached: ApiCredentials | undefined;
  /** When the credentials expire; programs report it as a date. */
  #endsAtMs = Number.POSITIVE_INFINITY;
  #running: Promise<ApiCredentials> | undefined;

  constructor(plugin: ExecPlugin, clock: Clock) {
    this.#plugin = plugin;
    this.#clock = clock;
  }

  /**
   * The current credentials; runs the program when they have expired.
   * @throws KubeConfigError
   */
  async get(): Promise<ApiCredentials> {
    if (this.#cached !== undefined && this.#clock.date().getTime() < this.#endsAtMs - MARGIN_MS) return this.#cached;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  /** Called when the server refused the credentials: the program runs again for the next call. */
  forget(): void {
    this.#cached = undefined;
  }

  async #run(): Promise<ApiCredentials> {
    const { status } = readAnswer(await readOutput(this.#plugin), this.#plugin.field);
    this.#endsAtMs = status.endsAtMs;
    this.#cached = status.credentials;
    return status.credentials;
  }
}

async function readOutput({ command, args, env, installHint, cluster, field }: ExecPlugin): Promise<string> {
  const info = {
    apiVersion: API_VERSION,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(cluster === undefined ? {} : { cluster }) },
  };
  return await new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new KubeConfigError(`${field}: ${command}: ${why}`));
    const child = spawn(command, args, {
      env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
      // Its stderr goes to the operator's terminal, as with kubectl.
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: TIMEOUT_MS,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.length > MAX_OUTPUT_BYTES) child.kill();
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      const hint = installHint === undefined ? '' : `; ${installHint}`;
      fail(error.code === 'ENOENT' ? `the program does not exist${hint}` : `cannot be started: ${error.code}${hint}`);
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else fail(signal === null ? `exit code ${code}` : `ended by ${signal}, after ${TIMEOUT_MS} ms at most`);
    });
  });
}

function readAnswer(
  output: string,
  field: string,
): { readonly status: { readonly credentials: ApiCredentials; readonly endsAtMs: number } } {
  const refuse = (why: string): never => {
    throw new KubeConfigError(`${field}: the answer of the program ${why}`);
  };
  let answer: { readonly apiVersion?: unknown; readonly kind?: unknown; readonly status?: Record<string, unknown> };
  try {
    answer = JSON.parse(output);
  } catch {
    // The output itself is omitted, because it may be a token.
    return refuse('is not JSON');
  }
  if (answer?.apiVersion !== API_VERSION || answer.kind !== 'ExecCredential') {
    return refuse(`is not an ExecCredential of ${API_VERSION}`);
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status ?? {};
  const hasToken = typeof token === 'string' && token !== '';
  const hasCertificate = typeof clientCertificateData === 'string' && typeof clientKeyData === 'string';
  if (!hasToken && !hasCertificate) return refuse('has neither a token nor a client certificate with its key');
  const endsAtMs = expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(`${expirationTimestamp}`);
  if (Number.isNaN(endsAtMs)) return refuse('has an expirationTimestamp that is not a time');
  return {
    status: {
      credentials: {
        ...(hasToken ? { authorization: `Bearer ${token}` } : {}),
        ...(hasCertificate ? { certificate: clientCertificateData, key: clientKeyData } : {}),
      },
      endsAtMs,
    },
  };
}
