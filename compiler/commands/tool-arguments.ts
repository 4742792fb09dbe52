/** The arguments of `lintel call`, and a suggestion for arguments in the syntax of other programs. */
import { GATEWAY_PORT, isObject, MCP_PATH } from '#schemas';
import { isHttpUrl } from '../analysis/catalog/index.ts';
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { getOwnCommand, quoteForShell } from '../own-command.ts';
import { UsageError } from '../usage-error.ts';
import { readJsonObject } from './read-json-object.ts';

/** An argument as `name=value`, which shells and other clients use. */
const PAIR = /^(?:--)?([A-Za-z_][\w.-]*)=(.*)$/s;

const LOCAL_URL = `http://127.0.0.1:${GATEWAY_PORT}${MCP_PATH}`;

/** The options of the command, which the suggested command repeats. */
interface ToolArgumentOptions {
  readonly url: string;
  readonly tokenFile?: string;
}

/**
 * @param words the arguments after the tool's name
 * @throws UsageError for anything but one JSON object, or `-` for standard input
 */
export function readToolArguments(
  tool: string,
  words: readonly string[],
  options: ToolArgumentOptions,
): Readonly<Record<string, unknown>> {
  const [argument, ...more] = words;
  if (argument === undefined) return {};
  if (more.length === 0 && argument === '-') return readJsonObject('-', 'arguments');
  const value = more.length === 0 ? parseJson(argument) : undefined;
  if (isObject(value)) return value;
  throw new UsageError(explainMistake(tool, words, value, options));
}

function explainMistake(
  tool: string,
  words: readonly string[],
  value: unknown,
  { url, tokenFile }: ToolArgumentOptions,
): string {
  const urls = words.filter(isHttpUrl);
  const others = words.filter(word => !isHttpUrl(word));
  const pairs = others.flatMap(word => {
    const [, name, text] = PAIR.exec(word) ?? [];
    return name === undefined || text === undefined ? [] : [[name, parsePairValue(text)] as const];
  });
  const object = others.length === 1 ? parseJson(others[0] ?? '') : undefined;
  const problems = [
    ...(urls.length > 0 ? ['the URL of the server is given by --url'] : []),
    ...(isObject(object) || others.length === 0 ? [] : [describeProblem(others, value)]),
  ];
  const isClear = urls.length <= 1 && (pairs.length === others.length || isObject(object));
  if (!isClear)
    return `${problems.join(', and ')}: write the arguments as '{"name": "value"}', or - to read them from standard input`;
  const args = isObject(object) ? object : Object.fromEntries(pairs);
  const command = [
    ...[getOwnCommand(), 'call', quoteForShell(tool)],
    ...(others.length === 0 ? [] : [quoteForShell(JSON.stringify(args))]),
    ...(urls.length === 0 && url !== LOCAL_URL ? [url] : urls).flatMap(element => [
      '--url',
      quoteForShell(redactUrl(element)),
    ]),
    ...(tokenFile === undefined ? [] : ['--token-file', quoteForShell(tokenFile)]),
  ];
  return `${problems.join(', and ')}: write \`${command.join(' ')}\``;
}

function describeProblem(others: readonly string[], value: unknown): string {
  if (value !== undefined) return 'the arguments are no JSON object';
  return others.length > 1
    ? 'the arguments are one JSON object between quotes, and several words are given'
    : 'the arguments are no JSON';
}

/** The value in a pair. A text that looks like a number or a boolean is probably meant as one; a text such as `007` stays as it is. */
function parsePairValue(text: string): unknown {
  return /^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?|true|false)$/.test(text) ? JSON.parse(text) : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
