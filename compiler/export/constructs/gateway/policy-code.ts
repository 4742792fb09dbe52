import type { Code } from '../../typescript/code.ts';
import { emitText } from './gateway-statement.ts';

/** A policy of several lines is indented like the program, with the tag `cedar`, if that renders the same text. */
export function emitPolicy(policy: string): Code {
  const lines = policy.split('\n').slice(0, -1);
  const isPlain = !/[`\r]|\$\{|[^\P{C}\n]|[\p{Zl}\p{Zp}]/u.test(policy);
  // The tag removes indentation that all lines have in common, so a text is only written with it if nothing is removed.
  const isFlush = lines.some(line => /^\S/.test(line)) && !lines.some(line => line !== '' && line.trim() === '');
  return policy.endsWith('\n') && lines.length > 1 && lines[0] !== '' && lines.at(-1) !== '' && isPlain && isFlush
    ? { type: 'template', tag: 'cedar', lines }
    : emitText(policy);
}
