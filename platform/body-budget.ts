import type http from 'node:http'
import { isLoopbackGroup } from './address-group.ts'

/** Buffered bytes of a listener, in all and per address; this computer is limited only by the total. */
export interface BodyLimits {
  readonly all: number
  readonly perAddress: number
}

/** The body, or why it was refused: too long, over the budget, or aborted by the client. */
export type HeldBody = Buffer | 'long' | 'budget' | 'gone'

/** Buffers request bodies of a listener within limits. */
export function createBodyBudget({ all, perAddress }: BodyLimits) {
  const groups = new Map<string, number>()
  let held = 0
  const add = (group: string, bytes: number): void => {
    held += bytes
    const of = (groups.get(group) ?? 0) + bytes
    if (of === 0) groups.delete(group)
    else groups.set(group, of)
  }
  const hasRoom = (group: string, bytes: number): boolean =>
    held + bytes <= all && (isLoopbackGroup(group) || (groups.get(group) ?? 0) + bytes <= perAddress)

  return {
    get held() {
      return held
    },
    /** Calls `done` once. Bytes count for `group` until the answer or the connection ends; `most` bounds a body. */
    collect(
      request: http.IncomingMessage,
      response: http.ServerResponse,
      { group, most }: { readonly group: string; readonly most: number },
      done: (body: HeldBody) => void,
    ) {
      let parts: Buffer[] = []
      let bytes = 0
      let isOver = false
      const give = (): void => {
        add(group, -bytes)
        parts = []
        bytes = 0
      }
      const finish = (body: HeldBody): void => {
        if (isOver) return
        isOver = true
        request.off('data', take)
        if (typeof body === 'string') give()
        done(body)
      }
      const take = (part: Buffer): void => {
        if (bytes + part.length > most) return finish('long')
        if (!hasRoom(group, part.length)) return finish('budget')
        add(group, part.length)
        bytes += part.length
        parts.push(part)
      }
      if (Number(request.headers['content-length'] ?? 0) > most) return finish('long')
      response.on('close', () => {
        give()
        finish('gone')
      })
      request.on('data', take)
      request.on('end', () => {
        const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
        parts = []
        finish(body)
      })
      request.on('error', () => finish('gone'))
    },
  }
}
