/** The message goes on behind the name of the field. */
export interface UrlProblem {
  readonly message: string;
  readonly fix?: string;
}

/** What is wrong with the URL of a backend, in whichever object it is written. */
export function urlProblem(text: string): UrlProblem | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return { message: 'is not a complete URL' };
  // The parser takes it as a part of the path, so two URLs in one field would be one that leads nowhere.
  if (/\s/.test(text)) return { message: 'has white space in it', fix: 'write one URL' };
  if (url.username === '' && url.password === '') return undefined;
  return {
    message: 'contains credentials, which everyone who reads this file could use',
    fix: 'take them out and use an MCPExternalAuthConfig',
  };
}

/** The same, of a URL where a browser or a client goes. */
export function webUrlProblem(text: string): UrlProblem | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? undefined : { message: 'is not http or https' };
}
