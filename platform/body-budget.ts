import type http from 'node:http'
import { isLoopbackGroup } from './address-group.ts'

/** Bytes of bodies that a listener holds at once, in all and of one address; this computer is bound by those in all only. */
export interface BodyLimits {
  readonly all: number
  readonly perAddress: number
}

/** What becomes of a body: its bytes, or why it is not held: longer than it may be, too much under way, or the client ended it. */
export type HeldBody = Buffer | 'long' | 'budget' | 'gone'

/** Collects bodies of one listener within its limits. */
export interface BodyBudget {
  /** Bytes that are held now. */
  readonly held: number
  /**
   * Collects the body of a request and calls `done` once. `group` is the part of the client's address that limits count by, `most` the longest
   * body in bytes. The bytes are counted as they come, and until the answer is out or the connection has ended. What is refused is dropped.
   */
  collect(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    body: { readonly group: string; readonly most: number },
    done: (body: HeldBody) => void,
  ): void
}

/** Makes the budget of one listener. */
export function createBodyBudget({ all, perAddress }: BodyLimits): BodyBudget {
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
    collect(request, response, { group, most }, done) {
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
