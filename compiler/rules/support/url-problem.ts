/** The message continues after the field's name. */
export interface UrlProblem {
  readonly message: string;
  readonly fix?: string;
}

/** Why the URL of a backend is invalid, in any kind of object. */
export function urlProblem(text: string): UrlProblem | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return { message: 'is not a complete URL' };
  // The parser accepts a second URL as part of the path, so two URLs in one field would become a URL that does not exist.
  if (/\s/.test(text)) return { message: 'has white space in it', fix: 'write one URL' };
  if (url.username === '' && url.password === '') return undefined;
  return {
    message: 'contains credentials, which everyone who reads this file could use',
    fix: 'take them out and use an MCPExternalAuthConfig',
  };
}

/** Does the same as `urlProblem` for a URL that browsers or clients open. */
export function findWebUrlProblem(text: string): UrlProblem | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? undefined : { message: 'is not http or https' };
}
