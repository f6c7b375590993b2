/** Reads a range of a file; its buffer is its own. */
export type ReadRange = (at: number, length: number) => Promise<Uint8Array<ArrayBuffer>>

/** Reads ranges of an address, and its size. Rejects where ranges are not answered, or the signal ends it. */
export async function openRanges(path: string, signal: AbortSignal): Promise<{ size: number; read: ReadRange }> {
  const ask = async (at: number, length: number): Promise<Response> => {
    const response = await fetch(path, { headers: { range: `bytes=${at}-${at + length - 1}` }, signal })
    if (response.status === 206) return response
    // The whole file would come.
    await response.body?.cancel()
    throw new Error(`a range was answered with ${response.status}`)
  }
  const first = await ask(0, 16)
  await first.arrayBuffer()
  const size = Number(/\/(\d+)$/.exec(first.headers.get('content-range') ?? '')?.[1])
  if (!Number.isSafeInteger(size)) throw new Error('the size of the file is not told')
  return { size, read: async (at, length) => new Uint8Array(await (await ask(at, length)).arrayBuffer()) }
}
