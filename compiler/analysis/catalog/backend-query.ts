/** Turns a backend of the sources into the query that the runtime sends to it. */
import { type BackendQuery, BRIDGE_TOKEN_HEADER, ENV_PREFIX, type StdioPlan } from '#schemas';
import { isCarrierHeader } from '#shared/plan';
import { formatList } from '../../text/describe.ts';
import type { SourceBackend } from './source-backends.ts';

/** Options from the command line. */
export interface QueryOptions {
  /** A token that is sent in place of the credential in the specs. */
  readonly token: string | undefined;
  /** An address that is used in place of the one in the specs, for example that of a forwarded port. */
  readonly url: string | undefined;
  /** The address of the bridge that runs the backend's program. */
  readonly bridge?: { readonly url: string; readonly token: string } | undefined;
  readonly deadlineMs: number;
  env(name: string): string | undefined;
}

export type PreparedQuery =
  /** `secrets`: values that must not be stored if a backend echoes them. */
  | { readonly question: BackendQuery; readonly secrets: readonly string[] }
  /** Why the backend cannot be queried, and what would help; `missing`: the variables to set, and their purpose. */
  | { readonly reason: string; readonly missing?: readonly MissingVariable[] };

export interface MissingVariable {
  readonly variable: string;
  readonly use: string;
}

/** The value of a header field as RFC 9110, section 5.5 allows it. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Whether the URL is one that the runtime can query. */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);
}

export function prepareQuery({ key, plan, credential, isInPod }: SourceBackend, options: QueryOptions): PreparedQuery {
  const { token, url, deadlineMs, env } = options;
  const { transport, addresses, caPem, caFile, timeoutMs } = plan;
  const ask = (
    headers: BackendQuery['headers'],
    secrets: readonly string[],
    account?: BackendQuery['account'],
  ): PreparedQuery => ({
    question: {
      key,
      url: url ?? plan.url,
      transport,
      // An operator who gives an address on the command line means exactly that one, private or not.
      addresses: url === undefined ? addresses : 'any',
      ...(caPem === undefined ? {} : { caPem }),
      ...(caFile === undefined ? {} : { caFile }),
      headers,
      ...(account && { account }),
      timeoutMs,
      deadlineMs,
    },
    secrets,
  });
  if (!isHttpUrl(url ?? plan.url)) return { reason: 'its URL is not an http or https URL: see `lintel check`' };
  if (isInPod && url === undefined)
    return {
      reason: `it listens only inside its pod: forward port ${new URL(plan.url).port} of the pod, and give its address with --url, such as ${plan.name}=${plan.url}`,
    };
  if (plan.stdio !== undefined && url === undefined) return prepareProgramQuery(key, plan, plan.stdio, options);
  if (token !== undefined) return ask([{ name: 'authorization', value: `Bearer ${token}` }], [token]);
  if (credential.type === 'other') {
    return { reason: `its credential is not a static header (${credential.reason}): give one with --token` };
  }
  const headers: { name: string; value: string }[] = [];
  const secrets: string[] = [];
  for (const { name, value, isSecret } of credential.headers) {
    const text = ('env' in value ? env(value.env) : value.literal) ?? '';
    if ('env' in value && text === '') return without(`header ${name}`, value.env, `${name} of ${plan.name}`);
    if (isSecret) secrets.push(text);
    // A mistake in the sources is reported elsewhere; here it must not reach a connection.
    if (!isCarrierHeader(name) || !VALUE.test(text)) {
      return { reason: `header ${JSON.stringify(name)} cannot be sent: its name or its value is not allowed` };
    }
    headers.push({ name, value: text });
  }
  const { account } = credential;
  if (account === undefined) return ask(headers, secrets);
  const secret = env(account.env) ?? '';
  if (secret === '')
    return without(
      `its own account at ${account.plan.tokenUrl}`,
      account.env,
      `the account of the gateway at ${plan.name}`,
    );
  return ask(headers, [...secrets, secret], { plan: account.plan, secret });
}

/**
 * Builds the query for a backend whose program the bridge runs. The bridge passes secrets to the program, so these must not get into the lock either.
 */
function prepareProgramQuery(
  key: string,
  { name: server, url, timeoutMs }: SourceBackend['plan'],
  { env: variables }: StdioPlan,
  { bridge, token, deadlineMs, env }: QueryOptions,
): PreparedQuery {
  if (token !== undefined) return { reason: 'it is a command, which gets its secrets as variables: leave --token out' };
  if (bridge === undefined) return { reason: 'it is a command, and no bridge runs it' };
  const secrets: string[] = [];
  const missing: MissingVariable[] = [];
  const names: string[] = [];
  for (const { name, value } of variables) {
    if (value.type === 'text' || value.from.env === null) continue;
    const secret = env(value.from.env) ?? '';
    if (secret !== '') secrets.push(secret);
    else {
      names.push(name);
      missing.push({ variable: value.from.env, use: `${name} of ${server}` });
    }
  }
  if (missing.length > 0) {
    const needed = missing.map(({ variable }) => variable);
    const reason =
      missing.length === 1
        ? `its variable ${names[0]} needs the environment variable ${needed[0]}`
        : `its variables ${formatList(names)} need the environment variables ${formatList(needed)}`;
    return { reason, missing };
  }
  const query: BackendQuery = {
    key,
    url: `${bridge.url}${new URL(url).pathname}`,
    transport: 'streamable-http',
    addresses: 'any',
    isBridge: true,
    headers: [{ name: BRIDGE_TOKEN_HEADER, value: bridge.token }],
    // The bridge may have to install the program before it starts.
    timeoutMs: Math.max(timeoutMs, deadlineMs),
    deadlineMs,
  };
  return { question: query, secrets: [bridge.token, ...secrets] };
}

function without(what: string, variable: string, use: string): PreparedQuery {
  const allowed = variable.startsWith(ENV_PREFIX) ? '' : `, allowed by --env ${variable}`;
  const reason = `${what} needs the environment variable ${variable}${allowed}, or give --token`;
  return { reason, missing: [{ variable, use }] };
}
