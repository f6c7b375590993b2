const object = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : null
  } catch {
    return null
  }
}
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** At most 4,096 characters; a substitute for lines without text. */
export function textOf(type: number, attach: string): string {
  const read = object(attach)
  const text =
    read === null
      ? attach
      : word(read['msg']) ||
        word(read['name']) ||
        word(read['title']) ||
        word(read['url']) ||
        (type === 0 ? attach : '')
  return text.slice(0, 4096)
}
