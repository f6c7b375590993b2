const object = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : null
  } catch {
    return null
  }
}
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What people read of a line: the text, or what stands for it; never longer than 4,096 characters. */
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
