import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, watch } from 'vue'
import type { Channel } from '../../../contract/rpc/state.ts'
import { isDoubted } from '../../../contract/on-air.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { useLive } from './live.ts'
import { rowsOf, sortRows, type ChannelRow } from './rows.ts'
import { useServices } from '../../data/services.ts'
import { useStandingCauses } from '../../data/standing-causes.ts'
import { lampOf, onAir, tallyOf, firstChannel, type LampState } from '../../ui/tally.ts'

/** What can be done to several channels at once. */
export type BatchProcedure = 'disable' | 'resume' | 'remove'

/** What became of a batch, channel by channel. */
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

/** Channels of a list at most, as the companion reads it. */
const maxList = 10_000
/** The channels of every profile, what is being done to them, and which one Studio opened last. */
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
  /** The channel that the tray knows to be shown. */
  let toldOpened: string | null = null
  /** Turn of the newest request of each profile's list: an older answer is dropped. */
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
  /** Channels, those on air first, without figures, which would redraw every row many times a second. */
  const ordered = computed(() =>
    sortRows(
      rowsOf(slice.value.channels ?? [], tallies.value?.byCid, () => null),
      { column: 'tally', descending: false },
    ),
  )
  const first = computed(() => firstChannel(slice.value.channels ?? [], tallies.value?.byCid, opened.value))

  /** Why a hosted profile's host could not be asked last; null while it answers, and for the local service. */
  const hostFault = computed(() =>
    companion.local || companion.profile === null ? null : tallies.value ? tallies.value.failure : slice.value.failure,
  )

  watch(
    () => [profileId.value, tallies.value?.fault ?? null] as const,
    ([id, fault], [before, faultBefore]) =>
      id === before && fault === null && faultBefore !== null && causes.ended('unreachable', 'refused'),
    { flush: 'sync' },
  )

  /** The state of channels is stale: no line, or the service is down or silent. A lamp never shows live then. */
  const unsure = computed(() => {
    if (companion.fault !== null || companion.line === 'lost') return true
    const told = tallies.value
    return told !== undefined && isDoubted({ ...told, tallies: told.byCid.values() }, companion.clock)
  })

  /** The time to which broadcasts are known: now, or when they became stale. */
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
    /** What became of the last batch of this profile. */
    report: computed(() => reports.get(profileId.value ?? '') ?? null),
    opened,
    refresh,
    batch,
    nameOf,
    /** A row of `ordered` with its figures. */
    withFigures: (row: ChannelRow): ChannelRow => {
      const figures = onAir(row.lamp) ? live.figuresOf(profileId.value ?? '', row.cid)?.figures : undefined
      return { ...row, kbps: figures?.kbps ?? null, viewers: figures?.viewers ?? row.viewers }
    },
    /** Whether a channel is known not to exist any more. False until the whole list was read. */
    isDeleted: (cid: string): boolean => {
      const { channels: list, failure } = slice.value
      return list !== null && failure === null && list.length < maxList && !list.some((channel) => channel.cid === cid)
    },
    channel: (cid: string): Channel | undefined => slice.value.channels?.find((each) => each.cid === cid),
    lamp,
    /** The lamp as shown; `lamp` is the last known state, also where stale. */
    shownLamp: (channel: Channel): LampState => (unsure.value ? 'fault' : lamp(channel)),
    tally: (channel: Channel) => tallyOf(channel, tallies.value?.byCid),
    /** What a channel of any profile is called; undefined while its list is not there. */
    nameIn: (id: string, cid: string): string | undefined =>
      lists.get(id)?.channels?.find((channel) => channel.cid === cid)?.name,
    /** Remembers the channel that Studio shows. */
    open: (cid: string): void => {
      opened.value = cid
      memory.write(openedKey, cid)
      if (toldOpened === cid) return
      toldOpened = cid
      rpc.app.open({ cid }).catch(() => {
        // Told again with the next channel that is shown; until then the tray takes the longest on air.
        toldOpened = null
      })
    },
    /** Creates a channel; rejects with the call's error. `recording` is false where the settings want it and it could not be set. */
    create: async (name: string): Promise<{ readonly cid: string; readonly recording: boolean }> => {
      const id = profileId.value
      if (id === null) throw new Error('no profile')
      const { cid, recording } = await rpc.channels.create({ profileId: id, name })
      await refresh(id)
      return { cid, recording: recording !== 'failed' }
    },
    /** Renames a channel; rejects with the call's error. */
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
