/**
 * The source of a token for `lintel lock --token`: `env:NAME` or `file:PATH`. A literal token is refused, because shell history and process
 * lists would show it. A misspelt source is therefore a usage error, and is never sent as a token.
 */

import { describeFileError, findNearest } from '#shared/util';
import { readBytes } from '../source/read-bytes.ts';
import { UsageError } from '../usage-error.ts';

const SOURCES = ['env', 'file'] as const;

/** Maximum size of the file of a token, in bytes: no HTTP header can be as long. */
const MAX_TOKEN_BYTES = 65_536;

/**
 * The token that an argument refers to.
 *
 * @param backend for messages, which never contain a possible token
 * @throws UsageError when there is none
 */
export function resolveToken(text: string, backend: string, env: (name: string) => string | undefined): string {
  const [, source, where = ''] = /^(env|file):(.*)$/s.exec(text) ?? [];
  switch (source) {
    case 'env':
      return fromEnvironment(where, backend, env);
    case 'file':
      return fromFile(where, backend);
    default:
      throw createUsageError(
        backend,
        `${stripQuotes(text)}write no token here, because other users of this machine can see it`,
      );
  }
}

function stripQuotes(text: string): string {
  const word = /^([^:=]{1,8})[:=]/.exec(text)?.[1]?.trim();
  const source = word === undefined ? undefined : findNearest(word, SOURCES);
  if (source === undefined) return 'write env:NAME or file:PATH; ';
  return `did you mean ${source === 'env' ? 'env:NAME' : 'file:PATH'}? `;
}

function fromEnvironment(name: string, backend: string, env: (name: string) => string | undefined): string {
  if (name === '') throw createUsageError(backend, 'env: names no environment variable');
  // The argument is only shown if it is spelled like a variable; otherwise it may be the token itself.
  const shown = /^[A-Z_][A-Z0-9_]*$/.test(name) ? `the environment variable ${name}` : 'that environment variable';
  const value = env(name);
  if (value === undefined) throw createUsageError(backend, `${shown} is not set`);
  return parseToken(value, backend, shown);
}

function fromFile(path: string, backend: string): string {
  if (path === '') throw createUsageError(backend, 'file: names no file');
  let bytes: Buffer | undefined;
  try {
    bytes = readBytes(path, MAX_TOKEN_BYTES);
  } catch (error) {
    const hint = path.startsWith('~') ? '; the shell does not expand ~ here, write $HOME' : '';
    throw createUsageError(backend, `cannot read ${path}: ${describeFileError(error)}${hint}`);
  }
  if (bytes === undefined)
    throw createUsageError(backend, `${path} holds more than ${MAX_TOKEN_BYTES} bytes, so no token`);
  return parseToken(bytes.toString('utf8'), backend, path);
}

function parseToken(text: string, backend: string, where: string): string {
  const token = text.trim();
  if (token === '') throw createUsageError(backend, `${where} is empty`);
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw createUsageError(backend, `${where} holds no token: one is a single line of ASCII characters without spaces`);
  }
  return token;
}

function createUsageError(backend: string, text: string): UsageError {
  return new UsageError(`--token of ${backend}: ${text}`);
}
