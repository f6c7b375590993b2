import type { Services } from '../../data/services.ts'

/** The action log of a room as a file to save. */
export interface ActionFile {
  readonly name: string
  readonly content: Blob
  /** Entries that the log has dropped, and the time of the newest of them in ms. */
  readonly dropped: { readonly entries: number; readonly until: number } | null
}

/** Fetches the log part by part, so that only one part is held as text. */
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
