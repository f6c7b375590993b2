import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, watch } from 'vue'
import type { Channel } from '../../../contract/rpc/state.ts'
import { isStale } from '../../../contract/on-air.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive } from './live.ts'
import { rowsOf, sortRows, type ChannelRow } from './rows.ts'
import { useServices } from '../../data/services.ts'
import { useStandingCauses } from '../../data/standing-causes.ts'
import { lampOf, onAir, tallyOf, firstChannel, type LampState } from '../../ui/tally.ts'

/** An action on several channels. */
export type BatchProcedure = 'disable' | 'resume' | 'remove'

/** Results of a batch by channel. */
export interface BatchReport {
  readonly procedure: BatchProcedure
  readonly at: number
  readonly rows: readonly {
    readonly cid: string
    readonly name: string
    readonly ok: boolean
    readonly failure: Failure | null
  }[]
}

interface ListSlice {
  readonly channels: readonly Channel[] | null
  readonly failure: Failure | null
  readonly loading: boolean
}

const openedKey = 'sidestage.opened'
const nothing: ListSlice = { channels: null, failure: null, loading: false }

/** The companion's maximum. */
const maxList = 10_000
/** Channels by profile, running actions and the channel last opened in Studio. */
export const useChannels = defineStore('channels', () => {
  const { rpc, now, memory } = useServices()
  const companion = useCompanion()
  const live = useLive()
  const causes = useStandingCauses()
  const lists = shallowReactive(new Map<string, ListSlice>())
  const busy = shallowReactive(new Map<string, BatchProcedure | 'rename'>())
  const failures = shallowReactive(new Map<string, Failure>())
  const reports = shallowReactive(new Map<string, BatchReport>())
  const opened = ref(memory.read(openedKey))
  let turn = 0
  /** The opened channel last sent to the tray. */
  let toldOpened: string | null = null
  /** Number of the newest request by profile: older answers are ignored. */
  const told = new Map<string, number>()
  const asked = new Map<string, number>()

  const profileId = computed(() => companion.profile?.id ?? null)
  const slice = computed(() => lists.get(profileId.value ?? '') ?? nothing)
  const tallies = computed(() => live.tallies.get(profileId.value ?? ''))
  const rows = computed(() =>
    rowsOf(
      slice.value.channels ?? [],
      tallies.value?.byCid,
      (cid) => live.figuresOf(profileId.value ?? '', cid)?.figures ?? null,
    ),
  )
  /** On air first; without figures, which would redraw all rows many times a second. */
  const ordered = computed(() =>
    sortRows(
      rowsOf(slice.value.channels ?? [], tallies.value?.byCid, () => null),
      { column: 'tally', descending: false },
    ),
  )
  const first = computed(() => firstChannel(slice.value.channels ?? [], tallies.value?.byCid, opened.value))

  /** Of the last request to a hosted profile's host; null if it answered, and for the local service. */
  const hostFault = computed(() =>
    companion.local || companion.profile === null ? null : tallies.value ? tallies.value.failure : slice.value.failure,
  )

  watch(
    () => [profileId.value, tallies.value?.fault ?? null] as const,
    ([id, fault], [before, faultBefore]) =>
      id === before && fault === null && faultBefore !== null && causes.ended('unreachable', 'refused', 'away'),
    { flush: 'sync' },
  )

  /** Disconnected, or the service is down or silent. Lamps then never show live. */
  const unsure = computed(() => {
    if (companion.fault !== null || companion.line === 'lost') return true
    const told = tallies.value
    return (
      told !== undefined && isStale(profileId.value ?? '', { ...told, tallies: told.byCid.values() }, companion.clock)
    )
  })

  /** Time up to which pushes are known: the current time, or that at which they became stale. */
  const knownTo = ref(companion.clock)
  watch(
    [unsure, () => companion.clock],
    ([isUnsure, clock]) => {
      if (!isUnsure) knownTo.value = clock
    },
    { flush: 'sync' },
  )

  const refresh = async (id = profileId.value): Promise<void> => {
    if (id === null) return
    const mine = ++turn
    asked.set(id, mine)
    lists.set(id, { ...(lists.get(id) ?? nothing), loading: true })
    try {
      const { channels } = await rpc.channels.list({ profileId: id })
      if (mine < (told.get(id) ?? 0)) return
      told.set(id, mine)
      lists.set(id, { channels, failure: null, loading: false })
    } catch (error) {
      if (mine === asked.get(id))
        lists.set(id, { ...(lists.get(id) ?? nothing), failure: failureOf(error), loading: false })
    }
  }
  const lamp = (channel: Channel): LampState =>
    lampOf(tallyOf(channel, tallies.value?.byCid).status, channel.needRecord)
  const nameOf = (cid: string): string => slice.value.channels?.find((channel) => channel.cid === cid)?.name ?? cid

  const batch = async (procedure: BatchProcedure, cids: readonly string[]): Promise<BatchReport> => {
    const id = profileId.value
    if (id === null) throw new Error('no profile')
    const names = new Map(cids.map((cid) => [cid, nameOf(cid)]))
    for (const cid of cids) {
      busy.set(cid, procedure)
      failures.delete(cid)
    }
    try {
      const { results } = await rpc.channels[procedure]({ profileId: id, cids: [...cids] })
      const done: BatchReport = {
        procedure,
        at: now(),
        rows: results.map(({ cid, ok, code }) => ({
          cid,
          ok,
          name: names.get(cid) ?? cid,
          failure: ok ? null : { kind: code === null ? 'internal' : 'code', code, skewSeconds: null, detail: '' },
        })),
      }
      return settle(id, done)
    } catch (error) {
      const failure = failureOf(error)
      return settle(id, {
        procedure,
        at: now(),
        rows: cids.map((cid) => ({ cid, ok: false, name: names.get(cid) ?? cid, failure })),
      })
    } finally {
      for (const cid of cids) busy.delete(cid)
    }
  }
  const settle = async (id: string, done: BatchReport): Promise<BatchReport> => {
    for (const row of done.rows) if (row.failure) failures.set(row.cid, row.failure)
    if (done.rows.length > 1) reports.set(id, done)
    if (done.rows.some((row) => row.ok)) await refresh(id)
    return done
  }

  return {
    profileId,
    slice,
    tallies,
    rows,
    ordered,
    first,
    unsure,
    hostFault,
    knownTo,
    busy,
    failures,
    report: computed(() => reports.get(profileId.value ?? '') ?? null),
    dismissReport: (): void => {
      reports.delete(profileId.value ?? '')
    },
    opened,
    refresh,
    batch,
    nameOf,
    withFigures: (row: ChannelRow): ChannelRow => {
      const figures = onAir(row.lamp) ? live.figuresOf(profileId.value ?? '', row.cid)?.figures : undefined
      return { ...row, kbps: figures?.kbps ?? null, viewers: figures?.viewers ?? row.viewers }
    },
    /** False until the whole list was read. */
    isDeleted: (cid: string): boolean => {
      const { channels: list, failure } = slice.value
      return list !== null && failure === null && list.length < maxList && !list.some((channel) => channel.cid === cid)
    },
    channel: (cid: string): Channel | undefined => slice.value.channels?.find((each) => each.cid === cid),
    lamp,
    /** `lamp` may be stale; this is never live then. */
    shownLamp: (channel: Channel): LampState => (unsure.value ? 'fault' : lamp(channel)),
    tally: (channel: Channel) => tallyOf(channel, tallies.value?.byCid),
    nameIn: (id: string, cid: string): string | undefined =>
      lists.get(id)?.channels?.find((channel) => channel.cid === cid)?.name,
    open: (cid: string): void => {
      opened.value = cid
      memory.write(openedKey, cid)
      if (toldOpened === cid) return
      toldOpened = cid
      rpc.app.open({ cid }).catch(() => {
        // Sent again with the next channel; until then the tray shows the longest on air.
        toldOpened = null
      })
    },
    /**
     * Rejects with the call's error. `record`: every push is recorded; `chat`: viewers can chat. The answer has false
     * for what was wished and could not be set.
     */
    create: async (
      name: string,
      { record, chat }: { readonly record: boolean; readonly chat: boolean },
    ): Promise<{
      readonly cid: string
      readonly recording: boolean
      readonly hold: boolean
      readonly chat: boolean
    }> => {
      const id = profileId.value
      if (id === null) throw new Error('no profile')
      const { cid, recording, hold } = await rpc.channels.create({ profileId: id, name, record })
      const chats = chat
        ? rpc.rooms.switchChat({ profileId: id, cid, on: true }).then(
            () => true,
            () => false,
          )
        : true
      await refresh(id)
      return { cid, recording: recording !== 'failed', hold: hold !== 'failed', chat: await chats }
    },
    rename: async (cid: string, name: string): Promise<void> => {
      const id = profileId.value
      if (id === null) throw new Error('no profile')
      busy.set(cid, 'rename')
      try {
        await rpc.channels.rename({ profileId: id, cid, name })
        failures.delete(cid)
        await refresh(id)
      } finally {
        busy.delete(cid)
      }
    },
  }
})
