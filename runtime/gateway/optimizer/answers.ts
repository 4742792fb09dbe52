/** The answers of the optimizer's own tools, as JSON text. */
import type { FoundTools } from './optimizer.ts';

/**
 * The answer of `find_tool`.
 * @param common members at the front, as JSON text without braces: those of every result of the stateless revision
 */
export function formatFoundTools({ tools, metrics, notice }: FoundTools, common?: string): string {
  const noticeMember = notice === undefined ? '' : `,"notice":${JSON.stringify(notice)}`;
  const found = `{"tools":[${tools.join(',')}],"token_metrics":${JSON.stringify(metrics)}${noticeMember}}`;
  return formatResult(
    `"content":[{"type":"text","text":${JSON.stringify(found)}}],"structuredContent":${found}`,
    common,
  );
}

export function formatErrorResult(message: string, common?: string): string {
  return formatResult(`"content":[{"type":"text","text":${JSON.stringify(message)}}],"isError":true`, common);
}

function formatResult(members: string, common: string | undefined): string {
  return common === undefined ? `{${members}}` : `{${common},${members}}`;
}
