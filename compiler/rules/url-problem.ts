/** What is wrong with the URL of a backend, whoever wrote it. The message goes on behind the name of the field. */
export function urlProblem(text: string): { readonly message: string; readonly fix?: string } | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '') return { message: 'is not a complete URL' };
  if (url.username === '' && url.password === '') return undefined;
  return {
    message: 'contains credentials, which everyone who reads this file could use',
    fix: 'take them out and use an MCPExternalAuthConfig',
  };
}
