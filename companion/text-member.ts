/** A string member of 1 to `maxLength` characters. */
export function textMember(body: unknown, name: string, maxLength: number): string | undefined {
  const value =
    typeof body === 'object' && body !== null && name in body
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined
}
