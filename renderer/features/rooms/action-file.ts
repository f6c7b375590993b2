import type { Services } from '../../data/services.ts'

/** The log of a room as a file to save. */
export interface ActionFile {
  readonly name: string
  readonly content: Blob
  /** Entries that the log has no more, and when the newest of them was done; null for none. */
  readonly dropped: { readonly entries: number; readonly until: number } | null
}

/** Fetches the log of a room part by part: neither side ever holds more of it as text than one part. */
export async function readActionFile(
  { rooms }: Services['rpc'],
  room: { readonly profileId: string; readonly roomid: number },
  format: 'csv' | 'json',
): Promise<ActionFile> {
  const parts: Blob[] = []
  let before: number | null = null
  for (;;) {
    const { name, text, next, dropped } = await rooms.exportActions({
      ...room,
      format,
      ...(before !== null && { before }),
    })
    parts.push(new Blob([text]))
    if (next === null)
      return { name, dropped, content: new Blob(parts, { type: format === 'csv' ? 'text/csv' : 'application/json' }) }
    before = next
  }
}
