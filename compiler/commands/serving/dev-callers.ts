/** `lintel dev --as`: tokens for imaginary callers, to try policies without an identity provider. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GATEWAY_PORT, type GatewayBundle, MCP_PATH } from '#schemas';
import { type Claims, listCallerNotes } from '../../analysis/access/index.ts';
import type { Compilation } from '../../compile/compilation.ts';
import { escapeUnprintable } from '../../diagnostics/render/printable.ts';
import { getOwnCommand } from '../../own-command.ts';
import { UsageError } from '../../usage-error.ts';
import { areClaimsChosen, parseCallerClaims } from '../caller-claims.ts';
import type { ChosenBundle } from '../choose-bundle.ts';
import { createEvaluationContext } from '../evaluation-context.ts';
import { LIFETIME, ThrowAwayIssuer } from './throw-away-issuer.ts';

/** The default address of commands such as `lintel ls` and `lintel call`, which do not have to name it. */
const LOCAL_URL = `http://127.0.0.1:${GATEWAY_PORT}${MCP_PATH}`;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

interface Caller {
  readonly claims: Claims;
  /** Whether all claims were written on the command line, and none comes from a file. */
  readonly areChosen: boolean;
}

export class DevCallers implements AsyncDisposable {
  readonly #callers: readonly Caller[];
  readonly #issuer: ThrowAwayIssuer;
  readonly #folder: string;
  #loggedText = '';

  private constructor(callers: readonly Caller[], issuer: ThrowAwayIssuer, folder: string) {
    this.#callers = callers;
    this.#issuer = issuer;
    this.#folder = folder;
  }

  /**
   * Prepares the callers of `--as`; undefined when no caller is requested.
   *
   * @param callerFiles each in the form of `parseCallerClaims`
   * @throws UsageError for an invalid caller, and for a gateway that other machines could reach
   */
  static async of(
    callerFiles: readonly string[] | undefined,
    host: string | undefined,
  ): Promise<DevCallers | undefined> {
    if (callerFiles === undefined) return undefined;
    const callers = callerFiles.map(text => ({ claims: parseCallerClaims(text), areChosen: areClaimsChosen(text) }));
    const unnamed = callers.findIndex(({ claims: { sub } }) => typeof sub !== 'string' || sub === '');
    if (unnamed !== -1)
      throw new UsageError(`--as ${callerFiles[unnamed]}: the claims name no subject: "sub" must be a text`);
    if (host !== undefined && !LOOPBACK.test(host))
      throw new UsageError(
        `--as is for this machine alone: the gateway accepts every client that has one of the tokens, and other machines may reach ${host}; leave --host out`,
      );
    const folder = await mkdtemp(join(tmpdir(), 'lintel-as-'));
    await chmod(folder, 0o700);
    return new DevCallers(callers, await ThrowAwayIssuer.start(), folder);
  }

  /**
   * The compilation with a gateway that accepts only the tokens of these callers.
   * @throws UsageError when the gateway does not use tokens of an identity provider
   */
  trustIn(compilation: Compilation, { kind, name }: ChosenBundle): Compilation {
    if (kind !== 'gateway') throw new UsageError('--as is about a gateway: a registry server has no policies');
    const gateways = compilation.gateways.map(gateway => {
      const { object, bundle } = gateway;
      if (`${object.namespace}/${object.name}` !== name || bundle === null) return gateway;
      refuseWithoutProvider(bundle);
      return { ...gateway, bundle: this.#issuer.addTo(bundle) };
    });
    return { ...compilation, gateways };
  }

  /**
   * Writes a token for each caller, readable only by the person; returns what to print, if it is new.
   * @param url the address of the gateway
   */
  async issueTokens({ gateways }: Compilation, { name }: ChosenBundle, url: string): Promise<string | undefined> {
    const gateway = gateways.find(({ object }) => `${object.namespace}/${object.name}` === name);
    const bundle = gateway?.bundle;
    if (bundle?.incomingAuth.type !== 'oidc') return undefined;
    const plan = bundle.incomingAuth;
    const lines: string[] = [];
    const at = url === LOCAL_URL ? '' : `${url} `;
    const names = new Set<string>();
    const model = gateway?.model() ?? undefined;
    const context = createEvaluationContext();
    for (const [index, { claims, areChosen }] of this.#callers.entries()) {
      const subject = String(claims.sub);
      const own = /^[\w.@-]{1,64}$/.test(subject) ? subject : `${index + 1}`;
      // Several callers may have the same subject, for example in different groups. Each gets a file of its own.
      const name = names.has(own) ? `${own}-${index + 1}` : own;
      names.add(name);
      const file = join(this.#folder, `${name}.token`);
      await writeFile(file, `${await this.#issuer.issueToken(claims, plan)}\n`, { mode: 0o600 });
      lines.push(`  ${escapeUnprintable(subject)}: ${getOwnCommand()} ls ${at}--token-file ${file}`);
      const notes = model === undefined ? [] : listCallerNotes(model, claims, areChosen, context);
      lines.push(
        ...[...notes, ...listLifetimeNotes(claims, context.now)].map(note => `    note: ${escapeUnprintable(note)}`),
      );
    }
    const issuers = plan.providers.map(({ issuer }) => issuer).join(', ');
    const text = `UNSAFE, for this machine alone: the gateway takes tokens that this command made in place of those of ${issuers}\n${lines.join('\n')}`;
    const isNew = text !== this.#loggedText;
    this.#loggedText = text;
    return isNew ? text : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#issuer[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Why claims with dates are replaced: a copied file of claims has the dates of its token, so the caller could not be used after the token's
 * expiry.
 */
function listLifetimeNotes({ exp }: Claims, now: number): readonly string[] {
  return typeof exp === 'number' && exp * 1000 <= now
    ? [`the gateway would refuse that token; the one that this command made is valid for ${LIFETIME} all the same`]
    : [];
}

function refuseWithoutProvider({ incomingAuth, authServer }: GatewayBundle): void {
  if (incomingAuth.type !== 'oidc')
    throw new UsageError(
      '--as: the gateway asks callers for no token; give it an incomingAuth of type oidc (any issuer will do here, see docs/policies.md), or leave --as out',
    );
  if (authServer !== undefined)
    throw new UsageError('--as: the gateway signs people in itself (authServerConfig), and takes its own tokens alone');
}
