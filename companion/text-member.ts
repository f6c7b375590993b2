/** A member of a body that is a text of 1 to `most` characters; undefined where it is anything else. */
export function textMember(body: unknown, name: string, most: number): string | undefined {
  const value =
    typeof body === 'object' && body !== null && name in body
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined
}
