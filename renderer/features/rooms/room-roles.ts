import { inBackground } from '../../background.ts'
import { shallowRef } from 'vue'

/** 3-chatrooms queryMembers. */
const maxAsk = 200
const maxKeep = 10_000
/** Time of collecting accounts, in ms. */
const gatherFor = 300
/** In ms. */
const pauseFor = 5_000

/** Roles of people beyond the pages of members that were read. */
export function createRoomRoles(options: {
  readonly ask: (accids: readonly string[]) => Promise<readonly { readonly accid: string; readonly type: number }[]>
  readonly later: (ms: number, call: () => void) => () => void
}) {
  const known = shallowRef<ReadonlyMap<string, number>>(new Map())
  const asked = new Set<string>()
  const waiting = new Set<string>()
  let stop: (() => void) | undefined
  let turn = 0

  const look = async (): Promise<void> => {
    const mine = turn
    const accids = [...waiting].slice(0, maxAsk)
    for (const accid of accids) waiting.delete(accid)
    let pause = gatherFor
    try {
      const answer = await options.ask(accids)
      if (mine !== turn) return
      const roles = new Map(known.value)
      for (const { accid, type } of answer) {
        roles.delete(accid)
        roles.set(accid, type)
      }
      for (const accid of roles.keys()) {
        if (roles.size <= maxKeep) break
        roles.delete(accid)
        asked.delete(accid)
      }
      known.value = roles
    } catch {
      if (mine !== turn) return
      for (const accid of accids) waiting.add(accid)
      pause = pauseFor
    }
    stop = undefined
    if (waiting.size > 0) stop = options.later(pause, () => inBackground(look()))
  }
  const add = (accid: string): void => {
    asked.add(accid)
    waiting.add(accid)
    stop ??= options.later(gatherFor, () => inBackground(look()))
  }
  return {
    /** By account: -1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary. */
    known,
    wonder(accids: Iterable<string>): void {
      if (asked.size > 2 * maxKeep) asked.clear()
      for (const accid of accids) if (!asked.has(accid)) add(accid)
    },
    /** Requests changed roles again, of known accounts only. */
    changed(accids: Iterable<string>): void {
      for (const accid of accids) if (asked.has(accid)) add(accid)
    },
    clear(): void {
      turn += 1
      stop?.()
      stop = undefined
      asked.clear()
      waiting.clear()
      known.value = new Map()
    },
  }
}
