import { defineStore } from 'pinia'
import { computed, ref, shallowRef, type Ref } from 'vue'
import { obsHost } from '../../../contract/obs-host.ts'
import type { ObsOutcome, ObsState } from '../../../contract/rpc/obs.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useServices } from '../../data/services.ts'

/** From the palette to the card in Studio. */
export type ObsWish = 'connection' | 'goLive' | 'stop'

/** State of the connection to OBS. */
export const useObs = defineStore('obs', () => {
  const state = shallowRef<ObsState | null>(null)
  const wish = ref<ObsWish | null>(null)
  return {
    state,
    /** A pending command, which the card carries out once it is mounted. */
    wish,
    apply: (event: AppEvent): void => {
      if (event.type === 'obs') state.value = event.obs
    },
  }
})

/** `channel`: another channel of the app; `elsewhere`: an unknown target. */
export function placeOf(
  state: Pick<ObsState, 'streaming' | 'target'>,
  at: { readonly profileId: string; readonly cid: string },
): 'none' | 'here' | 'channel' | 'elsewhere' {
  if (state.streaming === null || state.streaming === 'off') return 'none'
  if (!state.target) return 'elsewhere'
  return state.target.profileId === at.profileId && state.target.cid === at.cid ? 'here' : 'channel'
}

/** An empty password keeps the present one. */
export interface ObsEntry {
  readonly host: string
  readonly port: string
  readonly password: string
}

/** Which field is invalid. */
export function entryFault({ host, port }: ObsEntry): 'host' | 'port' | null {
  if (!obsHost.test(host)) return 'host'
  return /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535 ? null : 'port'
}

/** Whether a host name means this computer. */
export const isHere = (host: string): boolean => /^(localhost|::1|127(\.\d{1,3}){3})$/i.test(host)

const rejections: Readonly<Record<number, string>> = {
  204: 'unknown',
  207: 'notReady',
  500: 'running',
  501: 'stopped',
  504: 'disabled',
}

/** By RequestStatus (obs-websocket protocol 5). */
export function rejectedAs(code: number | null): string {
  if (code === null) return 'other'
  const known = rejections[code]
  if (known !== undefined) return known
  if (code === 203 || (code >= 300 && code < 500)) return 'request'
  if (code >= 600 && code < 700) return 'missing'
  return code === 205 || (code >= 700 && code < 800) ? 'failed' : 'other'
}

type Busy = 'configure' | 'connect' | 'goLive' | 'stop'

/** Actions of a channel's card, and their results. */
export function useObsActions(target: Ref<{ readonly profileId: string; readonly cid: string }>) {
  const { rpc } = useServices()
  const store = useObs()
  const busy = ref<Busy | null>(null)
  const failure = ref<Failure | null>(null)
  const outcome = shallowRef<ObsOutcome | null>(null)
  const run = async <T>(what: Busy, call: () => Promise<T>): Promise<T | undefined> => {
    // Stopping does not wait for a pending start.
    if (busy.value !== null && what !== 'stop') return undefined
    busy.value = what
    failure.value = null
    outcome.value = null
    try {
      return await call()
    } catch (error) {
      failure.value = failureOf(error)
      return undefined
    } finally {
      if (busy.value === what) busy.value = null
    }
  }
  const tried = async (what: Busy, call: () => Promise<ObsState>): Promise<boolean> => {
    const state = await run(what, call)
    if (!state) return false
    store.state = state
    return true
  }
  const did = async (what: Busy, call: () => Promise<ObsOutcome>): Promise<ObsOutcome | undefined> => {
    const answer = await run(what, call)
    if (answer) outcome.value = answer
    return answer
  }
  return {
    busy,
    failure,
    outcome,
    problem: computed(() => {
      const what = outcome.value?.outcome
      return what === undefined || what === 'done' || what === 'already' || what === 'busyElsewhere' ? null : what
    }),
    clear: (): void => {
      failure.value = null
      outcome.value = null
    },
    configure: ({ host, port, password }: ObsEntry, enabled: boolean, forget: boolean): Promise<boolean> =>
      tried('configure', () =>
        rpc.obs.configure({
          host,
          port: Number(port),
          enabled,
          ...(password !== '' ? { password } : forget ? { password: null } : {}),
        }),
      ),
    connect: (): Promise<boolean> => tried('connect', () => rpc.obs.connect()),
    goLive: (instead: boolean): Promise<ObsOutcome | undefined> =>
      did('goLive', () => rpc.obs.goLive({ ...target.value, instead })),
    stop: (): Promise<ObsOutcome | undefined> => did('stop', () => rpc.obs.stop()),
  }
}
