/** Calls the control API of a server; resolves with the body of its answer, rejects where it is not one of success. */
export type AskServer = (method: 'GET' | 'POST' | 'DELETE', path: string) => Promise<string>

/** In ms. */
const patience = 3000
/** Longest answer that is read, in bytes. */
const maxAnswer = 8 * 1024 * 1024

/** Calls under the root of an API. */
export function serverCalls(root: string): AskServer {
  const base = root.replace(/\/$/, '')
  return async (method, path) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(patience),
    })
    if (!answer.ok) {
      await answer.body?.cancel()
      throw new Error(`it answers ${answer.status}`)
    }
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of answer.body ?? []) {
      length += piece.length
      if (length > maxAnswer) throw new Error('its answer is too long')
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString()
  }
}
