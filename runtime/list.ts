/** `lintel-runtime list`: asks backends what they offer, in the way in which a gateway asks. Nothing is served. */
import type { Readable, Writable } from 'node:stream';
import {
  type BackendAnswer,
  type BackendPlan,
  type BackendQuestion,
  type ListQuestion,
  type PrivateDenial,
  VERSION,
} from '#schemas';
import { createBackendSession } from './gateway/backend/open-session.ts';
import { RpcError } from './gateway/backend/rpc-error.ts';
import { readCapabilities } from './gateway/read-capabilities.ts';
import { createHttpClient, type HttpClient } from './http/client.ts';
import { trustBeside } from './http/trust.ts';
import { createLogger, type Logger } from './observe/log.ts';
import { OptionError } from './options.ts';

/** Backends that are asked at the same time. */
const CONCURRENCY = 8;

/**
 * Reads the question from `input` to its end and writes a line to `output` for each backend.
 *
 * @throws OptionError when the question is none
 */
export async function list(input: Readable, output: Writable): Promise<void> {
  const { backends, denial } = questionIn(await textOf(input));
  const waiting = [...backends];
  const log = createLogger('silent');
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await write(output, `${JSON.stringify(await ask(next, denial, log))}\n`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function ask(question: BackendQuestion, denial: PrivateDenial | undefined, log: Logger): Promise<BackendAnswer> {
  const { key, addresses, headers, deadlineMs } = question;
  const client = createHttpClient({ addresses, denial, trust: trustBeside(question) });
  const account = await openAccount(question, client, denial, log);
  const session = createBackendSession(planOf(question), account?.client ?? client, { log, version: VERSION, headers });
  const late = AbortSignal.timeout(deadlineMs);
  // Opening a session heeds no signal; closing it ends whatever is under way.
  const giveUp = () => void session.close();
  late.addEventListener('abort', giveUp);
  try {
    const { protocolVersion, serverInfo } = await session.open();
    return { key, ok: true, protocolVersion, serverInfo, ...(await readCapabilities(key, session, late)) };
  } catch (error) {
    return { key, ok: false, message: late.aborted ? `did not finish within ${deadlineMs / 1000}s` : reasonOf(error) };
  } finally {
    late.removeEventListener('abort', giveUp);
    await session.close();
    await Promise.all([client.close(), account?.close()]);
  }
}

/** The same client with the token of the gateway's own account, where the question has one. */
async function openAccount(
  { key, account }: BackendQuestion,
  client: HttpClient,
  denial: PrivateDenial | undefined,
  log: Logger,
) {
  if (account === undefined) return undefined;
  const { createOutgoingAuth } = await import('./auth/outgoing/outgoing-auth.ts');
  const { withCredential } = await import('./auth/outgoing/credential-sender.ts');
  const secrets = { open: () => ({ value: account.secret }) };
  const auth = await createOutgoingAuth(account.plan, { backend: key, secrets, log, denial });
  const { own } = auth;
  if (own === undefined) throw new OptionError(`${key}: the account has no client`);
  return {
    client: withCredential(client, () => ({ credential: own, forwarded: () => [] })),
    close: () => auth.close(),
  };
}

function reasonOf(error: unknown): string {
  // The text of an error of the backend is its own: it may repeat what we sent.
  if (error instanceof RpcError) return `refused to list what it offers (JSON-RPC error ${error.code})`;
  return (error as Error).message.replace(/^backend "[^"]*": /, '');
}

function planOf({ key, url, transport, addresses, timeoutMs }: BackendQuestion): BackendPlan {
  return {
    name: key,
    url,
    transport,
    addresses,
    timeoutMs,
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: {},
    tools: { prefix: '', advertise: { type: 'all' }, overrides: {} },
  };
}

function questionIn(text: string): ListQuestion {
  try {
    const question = JSON.parse(text) as ListQuestion;
    if (Array.isArray(question.backends)) return question;
  } catch {
    // Said below: the text may hold credentials and is not repeated.
  }
  throw new OptionError('list reads {"backends": […]} from standard input; `lintel lock` writes it');
}

async function textOf(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function write(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, error => (error ? reject(error) : resolve()));
  });
}
