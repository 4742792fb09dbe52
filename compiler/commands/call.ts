/** `lintel call`: one call of a tool of a running server. */

import type { CallResponse } from '#schemas';
import { getMember } from '#schemas';
import {
  formatComplaint,
  formatMissingItems,
  type RunningServer,
  suggestTools,
  toRunningServer,
  withoutToken,
} from '../client/index.ts';
import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable, escapeUnprintableCode } from '../diagnostics/render/printable.ts';
import { listBackends } from './list-backends.ts';
import type { ServerOptions } from './ls.ts';
import { queryRuntime } from './query-runtime.ts';
import { readToolArguments } from './tool-arguments.ts';

export interface CallOptions extends ServerOptions {
  readonly url: string;
}

const FAILED = 1;
const NO_ANSWER = 3;

/**
 * Prints the tool's answer. Returns the exit code: 1 when the tool reports an error, 3 when the server does not answer.
 *
 * @param words the arguments after the tool's name; anything but one JSON object or `-` is a mistake
 * @throws UsageError
 */
export async function call(tool: string, words: readonly string[], options: CallOptions): Promise<number> {
  const args = readToolArguments(tool, words, options);
  const server = toRunningServer(options.url, options.tokenFile, options.timeoutMs);
  const callQuery = { backend: server.question, tool, arguments: args };
  const { answers, ended } = await queryRuntime<CallResponse>('call', callQuery);
  const [answer] = answers;
  if (answer === undefined) throw new Error(ended);
  if (!answer.ok) {
    const { code, message, challenge } = answer;
    const refusalText =
      code === undefined
        ? formatComplaint(server, message, challenge)
        : await explainRefusal(server, tool, code, message);
    process.stderr.write(`lintel: ${escapeUnprintable(withoutToken(refusalText, server))}\n`);
    return NO_ANSWER;
  }
  const text = formatResult(answer.result);
  process.stdout.write(options.format === 'json' ? formatJson(answer.result) : text);
  if (getMember(answer.result, 'isError') !== true) return 0;
  // Some servers report an unknown tool in a result. A tool that exists may fail with the same text, so the suggestion first looks for the tool.
  const meant = SAYS_UNKNOWN.test(text) ? await suggestTool(server, tool) : undefined;
  if (meant !== undefined) process.stderr.write(`lintel: ${escapeUnprintable(meant)}\n`);
  return FAILED;
}

const SAYS_UNKNOWN = /\b(?:unknown|not found|no such|does not exist|not exist|invalid tool)\b/i;

/** The code of the error with which a gateway answers a call that its policies deny. */
const DENIED = 403;

/** The command that says which policy decided: a gateway does not reveal that to callers, but the specs do. */
function askPolicies(tool: string): string {
  const name = /^[\w.-]+$/.test(tool) ? tool : 'TOOL';
  return `\`lintel can call ${name} --as NAME,groups=GROUP\` says, from the specs, which one decides`;
}

/** The server's message, with a suggestion for the tool that was meant. */
async function explainRefusal(server: RunningServer, tool: string, code: number, message: string): Promise<string> {
  const words = `${server.displayUrl}: ${message} (JSON-RPC error ${code})`;
  if (code === DENIED) return `${words}; ${askPolicies(tool)}`;
  const meant = await suggestTool(server, tool);
  return meant === undefined ? words : `${words}; ${meant}`;
}

/** A suggestion for the name of a tool. Undefined when the server has the tool, or does not list its tools. */
async function suggestTool(server: RunningServer, tool: string): Promise<string | undefined> {
  const [listed] = await listBackends({ backends: [server.question] });
  const names = listed?.ok ? listed.tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])) : [];
  if (names.includes(tool)) return undefined;
  const close = suggestTools(tool, names);
  if (close.length === 0 && listed?.unavailable !== undefined)
    return formatMissingItems(server.displayUrl, listed.unavailable);
  if (names.length === 0) return undefined;
  const advice =
    close.length === 0
      ? `\`lintel ls\` lists those that are; where a policy may hide it, ${askPolicies(tool)}`
      : `did you mean ${close.join(' or ')}? \`lintel ls\` lists all`;
  return `there is no tool ${JSON.stringify(tool)}${close.length === 0 ? ' that this caller may call' : ''}: ${advice}`;
}

/** The result of a call as text: its text content unchanged, all other content as JSON. */
function formatResult(result: unknown): string {
  const content = getMember(result, 'content');
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.map(part => {
    const text = getMember(part, 'text');
    return typeof text === 'string'
      ? text.split('\n').map(escapeUnprintableCode).join('\n')
      : formatJson(part).trimEnd();
  });
  const structured = getMember(result, 'structuredContent');
  if (texts.length === 0) return structured === undefined ? '' : formatJson(structured);
  return `${texts.join('\n')}\n`;
}
