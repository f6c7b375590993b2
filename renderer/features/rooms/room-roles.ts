import { inBackground } from '../../background.ts'
import { shallowRef } from 'vue'

/** Accounts that can be asked about at once (3-chatrooms queryMembers). */
const maxAsk = 200
/** Roles that are kept; beyond it the oldest go. */
const maxKeep = 10_000
/** Who spoke within this many ms is asked about together. */
const gatherFor = 300
/** After a failure, how long until it is tried again, in ms. */
const pauseFor = 5_000

/** Roles of people that the first pages of a room's members do not have; `later` calls `call` once after ms. */
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
    /** -1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary, by account, as far as it is known. */
    known,
    /** Asks about those who were not asked about yet, soon and together. */
    wonder(accids: Iterable<string>): void {
      if (asked.size > 2 * maxKeep) asked.clear()
      for (const accid of accids) if (!asked.has(accid)) add(accid)
    },
    /** Somebody's role may be another one now: asks again if it was asked for. */
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
