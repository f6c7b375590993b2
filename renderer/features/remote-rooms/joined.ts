import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { JoinedSeat, JoinFailure } from '../../../contract/rpc/joined.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import type { RpcClient } from '../../data/client.ts'
import { useServices } from '../../data/services.ts'
import { useTask } from '../../data/task.ts'

/** Rooms on other computers that are moderated from here. */
export const useJoined = defineStore('joined', () => {
  const { rpc, now } = useServices()
  const seats = shallowRef<readonly JoinedSeat[] | null>(null)
  const { busy, failure, ask } = useTask()
  const trouble = shallowRef<{ readonly what: JoinFailure; readonly until: number } | null>(null)

  /** One request at a time; undefined on failure. */
  const run = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    if (busy.value !== null) return undefined
    trouble.value = null
    return ask(what, work)
  }
  return {
    /** The last joined or shown first; null while unknown. */
    seats,
    /** `join`, or `forget` with the room's id. */
    busy,
    failure,
    trouble,
    clear: (): void => {
      failure.value = null
      trouble.value = null
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'joined') seats.value = [...event.seats].sort((a, b) => b.lastAt - a.lastAt)
    },
    /** Null on failure. */
    join: async (wish: Parameters<RpcClient['joined']['join']>[0]): Promise<JoinedSeat | null> => {
      const done = await run('join', () => rpc.joined.join(wish))
      if (done?.trouble) trouble.value = { what: done.trouble, until: now() + done.wait * 1000 }
      return done?.seat ?? null
    },
    forget: async (id: string): Promise<boolean> =>
      (await run(`forget ${id}`, () => rpc.joined.forget({ id }).then(() => true))) === true,
  }
})
