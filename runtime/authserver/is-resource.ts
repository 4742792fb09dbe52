/** Whether two texts are the same URL. Clients may add or omit a slash at the end. */
export function isResource(requested: string, resource: string): boolean {
  const normal = (text: string) => (URL.parse(text)?.href ?? text).replace(/\/$/, '');
  return requested === resource || normal(requested) === normal(resource);
}
